import { expect, test } from 'vitest'
import { ask, askText, faults } from './ask.ts'

/** Language reference, "Grammar", "Strings", "Numbers": tokens and their meaning */
test.each([
  ['JSON escapes', 'p := "\\u0041\\n\\"\\/"', 'A\n"/'],
  ['two escapes of one code point', 'p := count("\\ud83d\\ude00")', 1],
  ['half a code point', 'p := "\\ud83d!"', '\ufffd!'],
  ['a raw string', 'p := `a\\n\n"b"`', 'a\\n\n"b"'],
  ['a number that begins with its point', 'p := .5 + .5', 1],
  ['an exponent', 'p := 1e3 == 1000', true],
  ['a byte-order mark ahead', '\ufeffpackage t\np := 1', 1],
  ['a comment at the end', 'p := 1 # not 2', 1],
  ['a comment between', 'p := [1, # one\n2]', [1, 2]],
  ['trailing commas', 'p := [f(1, 2,), {"a": 1,}.a, count({1,})]\nf(a, b) := a + b', [3, 1, 1]],
  ['the empty object and the empty set', 'p := [{} == set(), count({}), count(set())]', [false, 0, 0]],
  ['an operator that begins a line', 'p := 1\n  + 2', 3],
  ['operators of one level to the left', 'p := [10 - 2 - 3, 12 / 3 / 2, 7 - 4 + 1]', [5, 2, 4]],
  ['multiplication before addition', 'p := 1 + 2 * 3', 7],
  ['a minus ahead', 'p := [-1, -input.x, 2 - -1]', [-1, -5, 3]],
  ['comparisons after sets', 'p := {1} | {2} & {2, 3} == {1, 2}', true],
  ['in after comparisons', 'p := 1 == 1 in [true]', true],
  ['a comprehension rather than a union', 'p := {1 | true}', [1]],
  ['a union in parentheses', 'p := [({1} | {2})]', [[1, 2]]],
  ['a union as the first of several elements', 'p := [{1} | {2}, 3]', [[1, 2], 3]],
  ['a union as the first of several members', 'p := {{1} | {2}, 3}', [3, [1, 2]]],
  ['a union as the value of the first of several keys', 'p := {"a": {1} | {2}, "b": 3}', { a: [1, 2], b: 3 }],
  ['a union after another operator', 'p := [{1, 2} & {2} | {3}]', [[2, 3]]],
  ['a comparison as the first element', 'p := [1 == 1, {1 < 2}, {"a": 1 in [2]}]', [true, [true], { a: false }]],
  ['an operator in the key of a comprehension', 'p := {x + 1: x | x := 1}', { 2: 1 }],
  ['braces after if are a body', 'p if {true}', true],
  ['an object after if', 'p if {}', true],
  ['a set compared after if', 'p if {1, 2} == {2, 1}', true],
  ['two literals on a line', 'p if { true; true }', true],
  ['else on its own line', 'p := 1 if { false }\nelse := 2', 2],
  ['a further body', 'p if { false } { input.x == 5 }', true],
  ['a body that could be a set, and a further one', 'p if {q} {input.x == 5}\nq := false', true],
  ['a pair as a value', 'p := 1, "x" in {1: "x"}', true],
  ['a function below names without a body', 'p := a.b.c(7)\na.b.c(_)', true],
  ['a template over a name that a later literal binds', 'p := q if { q := $"{x}"; x = 42 }', '42'],
  ['braces after else as a body', 'p if { false } else if { {1, 2} | {3} == {1, 2, 3} }', true],
  ['keywords behind a dot', 'p := input.if + data.t.q.default\nq.default := 2', 3, { if: 1 }],
  ['a keyword as a rule with a dot', 'p := in.x\nin.x := 1', 1],
  ['a template', 'p := $"a {1 + 1} {"b"} {["b"]} \\{"', 'a 2 b ["b"] {'],
  ['a raw template', 'p := $`\\n {1} \\{`', '\\n 1 {'],
  ['a template in a template', 'p := $"{$"<{input.x}>"}"', '<5>'],
  ['an undefined hole', 'p := $"{input.none}"', '<undefined>'],
])('reads %s', async (_what, module, wanted, input: object = {}) => {
  expect(await ask(module, { input: { x: 5, ...input } })).toEqual(wanted)
})

test.each([
  ['3.0', '3.0'],
  ['-1.50', '-1.50'],
  ['1e3', '1e3'],
  ['123456789012345678901234567890', '123456789012345678901234567890'],
])('a number keeps its text: %s', async (literal, wanted) => {
  expect(await askText(`p := ${literal}`)).toBe(wanted)
})

/** parsed as a set comprehension, such a branch would always hold */
test.each([
  ['a rule', 'p := 1 if { false } else if { A | B }'],
  ['a rule with a value', 'p := 1 if { false } else := 2 if { A | B }'],
  ['a later branch', 'p := 1 if { false } else := 2 if { false } else := 3 if { A | B }'],
  ['a function', 'p := f(1)\nf(_) if { false } else if { A | B }'],
  ['a function with a value', 'p := f(1)\nf(_) := 1 if { false } else := 2 if { A | B }'],
])('the body of else is never a comprehension, after %s', async (_what, module) => {
  const body = module.replace('A', 'input.x').replace('B', 'input.y')
  // numbers have no union: the body is undefined, and so is the rule
  expect(await ask(body, { input: { x: 5, y: 6 } })).toBeUndefined()
  expect((await faults(module.replace('A | B', ''))).join()).toContain('found empty body')
  expect((await faults(module.replace('A | B', '"a": 1'))).join()).toContain('rego_parse_error')
})

/** each is refused with a parse error on its row */
test.each([
  ['no package', 'package', '1: rego_parse_error: unexpected eof token: expected package path'],
  ['a blank before arguments', 'p if { f (1) }', 'unexpected ( token'],
  ['a blank before a bracket', 'p if { a [0] }', 'unexpected [ token'],
  ['a comprehension of more than a factor', 'p := [x + 1 | x := 1]', 'unexpected := token'],
  ['an open comprehension', 'p := [x | x := 1', 'unexpected eof token'],
  ['a leading zero', 'p := 01', 'expected number without leading zero'],
  ['an empty exponent', 'p := 1e', 'expected exponent'],
  ['a letter glued to a number', 'p := 1x', 'illegal number format'],
  ['an open string', 'p := "a', 'non-terminated string'],
  ['a line break in a string', 'p := "a\nb"', 'non-terminated string'],
  ['an unknown escape', 'p := "\\x"', 'illegal escape'],
  ['an open raw string', 'p := `a', 'non-terminated string'],
  ['a NUL', 'p := "\0"', 'illegal null character'],
  ['a mark inside', 'p := "\ufeff"', 'illegal byte-order mark'],
  ['a foreign operator', 'p if !true', 'illegal ! character'],
  ['a missing element', 'p := [1,,2]', 'unexpected , token'],
  ['two literals without a break', 'p if { true true }', 'expected \\n or ; or }'],
  ['a rule without anything', 'p', 'var p cannot be used for rule name'],
  ['a body without if', 'p { true }', '`if` keyword is required before rule body'],
  ['a function body without if', 'f(x) { x }', '`if` keyword is required before function body'],
  ['a set without contains', 'p["a"]', '`contains` keyword is required for partial set rules'],
  ['else after contains', 'p contains 1 if true else := 2', 'else keyword cannot be used on multi-value rules'],
  [
    'else after variables',
    'p[x] := 1 if { x := 1 } else := 2',
    'else keyword cannot be used on rules with variables in head',
  ],
  ['a default with a reference', 'default p := input.x', 'value cannot contain ref'],
  ['a default with a call', 'default p := count([])', 'value cannot contain call'],
  ['a default for a value', 'default f(1) := 1', 'arguments cannot contain number'],
  ['a default for one name twice', 'default f(x, x) := 1', 'arguments cannot be repeated x'],
  [
    'an import from elsewhere',
    'import foo.bar',
    'unexpected import path, must begin with one of: {data, future, input, rego}, got: foo',
  ],
  ['an unknown keyword', 'import future.keywords.while', 'unexpected keyword'],
  ['an unknown version', 'import rego.v2', 'invalid import, must be `rego.v1`'],
  ['a unification in a hole', 'p := $"{x = 1}"', 'unexpected unification'],
  ['a negation in a hole', 'p := $"{not true}"', 'unexpected negation'],
  ['two expressions in a hole', 'p := $"{1 2}"', 'unexpected number token'],
])('refuses %s', async (_what, module, message) => {
  const [fault = ''] = await faults(module)
  expect(fault).toContain('rego_parse_error')
  expect(fault).toContain(message)
})

test('every faulty statement is named, by its row', async () => {
  const rows = (await faults('p := 01\n\nq := 1\n\nr := [1,,2]\n\ns if !true')).map((fault) => fault.split(':')[0])
  expect(rows).toEqual(['2'])
  expect((await faults('p if { 1 2 }\n\nq := 1\n\nr := [1,,2]')).map((fault) => fault.split(':')[0])).toEqual([
    '2',
    '6',
  ])
})

/** version 0: `if`, `contains`, `in` and `every` are names until they are imported */
test.each([
  ['a body without if', 'p { input.x == 5 }', true],
  ['chained bodies', 'p { false } { input.x == 5 }', true],
  ['a partial set', 'p[x] { x := [1, 2][_] }', [1, 2]],
  ['a fact of a partial set', 'p["a"]', ['a']],
  ['keywords as names', 'p = y { if := 1; in := 2; y := if + in }', 3],
  ['an imported keyword', 'import future.keywords.if\np if input.x == 5', true],
  ['an object rule once if is imported', 'import future.keywords.if\np[x] if { x := "a" }', { a: true }],
  ['every brings in', 'import future.keywords.every\np { every x in [1] { x in [1] } }', true],
  ['a deprecated function', 'p { any([false, true]) }', true],
  ['a local named input', 'p = input { input := 3 }', 3],
  ['the keywords of rego.v1', 'import rego.v1\np contains 1 if { true }', [1]],
])('v0 reads %s', async (_what, module, wanted) => {
  expect(await ask(module, { dialect: 'v0', input: { x: 5 } })).toEqual(wanted)
})

test.each([
  ['if before its import', 'p if { true }', 'var p cannot be used for rule name (hint: `import future.keywords.if`'],
  ['in before its import', 'p { input.x in [5] }', 'or } (hint: `import future.keywords.in`'],
  ['some in before its import', 'p { some x in [5] }', 'or } (hint: `import future.keywords.in`'],
  ['every before its import', 'p { every x in [5] { x == 5 } }', 'or } (hint: `import future.keywords.every`'],
  ['a body without if under rego.v1', 'import rego.v1\np { true }', '`if` keyword is required before rule body'],
  ['an empty body', 'p { }', 'found empty body'],
])('v0 refuses %s', async (_what, module, message) => {
  expect((await faults(module, { dialect: 'v0' }))[0]).toContain(message)
})
