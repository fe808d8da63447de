"""Which memory a tensor looks at and what is written into it: storage, strides, in-place variants."""
