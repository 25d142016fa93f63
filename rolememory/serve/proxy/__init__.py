"""Between frontend and model: the block goes in, the reply goes out unchanged, and what was said is learned."""
