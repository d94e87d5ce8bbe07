//! The book in `book/`: its links, the length of its pages, its words, and every command in it.

mod architecture;
mod avoided_words;
mod commands;
mod links;
mod pages;

mod readme;
mod reference;
mod rust_examples;
