"""How far tasks have read: checkpoints in both places, and the tool that shows and writes them."""
