"""What the documents describe: the functions and classes behind the public names."""
