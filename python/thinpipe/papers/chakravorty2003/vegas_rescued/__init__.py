"""Vegas over UMTS behind a box: the future work of lo2005, with the boxes of this paper."""
