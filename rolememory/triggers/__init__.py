"""Why something fires: strategies that give evidence and never sort, cut or render."""
