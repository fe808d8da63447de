"""Each element of the result depends on a neighbourhood: convolution, pooling, padding, resampling."""
