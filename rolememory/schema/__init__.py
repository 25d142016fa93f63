"""What things are: pure values that every other room passes around."""
