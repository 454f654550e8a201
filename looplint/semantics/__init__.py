"""What the calls of libraries do: transfer functions, one file for each kind of thing.

In: a call's arguments and the interpreter's state. Out: the call's value, and the events and writes it causes.
A function says what it is for: `@transfer("clip")` for names that the tables give this effect, `@method_transfer("clip")` for methods,
`@construction(Optimizer)`, `@application(Module)` and `@methods_of(Loader)` for objects of a class, `@hooks.entered` for a point of the syntax.
`composition` finds every file of this folder. Imports: `interpreter` and those before it; never another file's function where a call will do.
"""
