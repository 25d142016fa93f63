"""How text is read: cleaned, folded, searched for keys, counted, compared, felt, dated."""
