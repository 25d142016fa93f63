"""Text analysis: cleaning, folding, keys, BM25, vectors, lengths, affect, dates."""
