"""The lab: a page on which every change of a setting runs the experiment anew."""
