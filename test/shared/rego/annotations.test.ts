import { expect, test } from 'vitest'
import { evaluate } from './conformance-case.ts'
import { ask, compiled, faults, NOW } from './ask.ts'

const RULE = `# METADATA
# title: Who may
p := rego.metadata.rule()`

test('a rule reads the annotations above it', async () => {
  expect(await ask(RULE)).toEqual({ scope: 'rule', title: 'Who may' })
  expect(await ask('p := rego.metadata.rule()')).toEqual({})
  expect(await ask(RULE, { dialect: 'v0' })).toEqual({ scope: 'rule', title: 'Who may' })
})

test('every field that the reference reads is returned, in its form', async () => {
  const module = `# METADATA
# title: A title
# description: |
#   Two
#   lines
# entrypoint: true
# organizations:
# - Acme
# - 5
# related_resources:
# - https://example.com/one
# - ref: https://example.com/two
#   description: the second
# authors:
# - Ann Ann <ann@example.com>
# - <only@example.com>
# - name: Bob
# schemas:
# - input: schema.request["v1"]
# - input.x: {type: number}
# custom:
#   level: [1, yes, {deep: null}]
# unknown: ignored
p := rego.metadata.chain()[1].annotations`
  expect(await ask(module)).toEqual({
    scope: 'document',
    title: 'A title',
    description: 'Two\nlines\n',
    entrypoint: true,
    organizations: ['Acme', '5'],
    related_resources: [
      { ref: 'https://example.com/one' },
      { ref: 'https://example.com/two', description: 'the second' },
    ],
    authors: [{ name: 'Ann Ann', email: 'ann@example.com' }, { email: 'only@example.com' }, { name: 'Bob' }],
    schemas: [
      { path: ['input'], schema: ['schema', 'request', 'v1'] },
      { path: ['input', 'x'], definition: { type: 'number' } },
    ],
    custom: { level: [1, true, { deep: null }] },
  })
})

test('a chain contains rule, document, package and surrounding packages, in this order', async () => {
  const inner = `# METADATA
# scope: subpackages
# title: sub b

# METADATA
# title: package b
package a.b
# METADATA
# scope: document
# title: document

# METADATA
# title: outer

# METADATA
# title: inner
p.q := rego.metadata.chain()
r := rego.metadata.chain()`
  const outer = '# METADATA\n# scope: subpackages\n# title: sub a\npackage a'
  const link = (path: string[], scope: string, title: string) => ({ path, annotations: { scope, title } })
  const run = async (name: string) => {
    const query = `data.a.b.${name} = x`
    const [solution] = await evaluate({ modules: [inner, outer], query, regoVersion: 1 })
    return solution?.bindings.x
  }
  const around = [
    link(['a', 'b'], 'package', 'package b'),
    link(['a', 'b'], 'subpackages', 'sub b'),
    link(['a'], 'subpackages', 'sub a'),
  ]
  expect(await run('p.q')).toEqual([
    link(['a', 'b', 'p', 'q'], 'rule', 'inner'),
    link(['a', 'b', 'p', 'q'], 'rule', 'outer'),
    link(['a', 'b', 'p', 'q'], 'document', 'document'),
    ...around,
  ])
  expect(await run('r')).toEqual([{ path: ['a', 'b', 'r'] }, ...around])
})

test.each<[string, string, unknown]>([
  ['in the body', 'p := x if {\n  x := rego.metadata.rule().title\n}', 'Who may'],
  ['in a closure', 'p := [t | t := rego.metadata.rule().title]', ['Who may']],
  ['as an iterated value', 'p := [t | some link in rego.metadata.chain(); t := link.annotations.title]', ['Who may']],
  ['with its result as an argument', 'p := x if rego.metadata.rule(x)', { scope: 'rule', title: 'Who may' }],
  ['under a name in brackets', 'p := rego["metadata"].rule().title', 'Who may'],
  ['in a function', 'f(x) := [x, rego.metadata.rule().title]\np := f(1)', [1, 'Who may']],
  ['in a branch of else, which has none', 'p := 1 if false\nelse := rego.metadata.rule()', {}],
  ['where another rule stands between', 'o := 1\np := rego.metadata.rule()', {}],
])('a call stands %s', async (_what, rules, expected) => {
  expect(await ask(`# METADATA\n# title: Who may\n${rules}`)).toEqual(expected)
})

test('a block ends at an empty line, at an indented comment and at code, and a string never contains one', async () => {
  const block = '# METADATA\n# title: one'
  expect(await ask(`${block}\n\n# description: two\np := rego.metadata.rule()`)).toEqual({
    scope: 'rule',
    title: 'one',
  })
  expect(await ask(`${block}\n # description: two\np := rego.metadata.rule()`)).toEqual({ scope: 'rule', title: 'one' })
  const text = 'o := `\n# METADATA\n# title: no\n`\np := rego.metadata.rule()'
  expect(await ask(text)).toEqual({})
})

test.each([
  ['no YAML', '# title: [', 'rego_parse_error: error converting YAML to JSON: yaml: line'],
  ['nothing', '#', 'rego_parse_error: expected METADATA block, found whitespace'],
  ['a list', '# - a', 'rego_parse_error: annotations must be a YAML mapping'],
  ['an unknown scope', '# scope: planet', "rego_parse_error: invalid annotation scope 'planet'."],
  [
    'the scope of a package',
    '# scope: package',
    "rego_parse_error: annotation scope 'package' must be applied to package",
  ],
  ['a title that is a list', '# title: [a]', 'rego_parse_error: title must be text'],
  ['an author without a name', '# authors:\n# - {}', 'rego_parse_error: invalid author definition'],
  [
    'a resource without an address',
    '# related_resources: [""]',
    'rego_parse_error: invalid related-resource definition',
  ],
  ['a schema that is none', '# schemas:\n# - input: other', 'rego_parse_error: invalid schema reference'],
  [
    'an entry point of one rule',
    '# scope: rule\n# entrypoint: true',
    'rego_parse_error: annotation entrypoint applied',
  ],
])('a block with %s is refused at its row', async (_what, lines, message) => {
  const [fault = '', ...others] = await faults(`# METADATA\n${lines}\np := rego.metadata.rule()`)
  expect(others).toEqual([])
  expect(fault.startsWith(`2: ${message}`)).toBe(true)
})

test('a document and a package can be annotated once, an import never', async () => {
  const twice =
    '# METADATA\n# scope: document\n# title: x\np := 1\n# METADATA\n# scope: document\np := 1\nq := rego.metadata.rule()'
  expect(await faults(twice)).toEqual(['6: rego_type_error: document annotation redeclared: row 2'])
  const imports = 'package t\n# METADATA\n# title: x\nimport data.u\np := rego.metadata.rule()'
  expect(await faults(imports)).toEqual([expect.stringContaining("invalid annotation scope 'import'")])
  const last = 'p := rego.metadata.rule()\n# METADATA\n# title: x'
  expect(await faults(last)).toEqual([expect.stringContaining("invalid annotation scope ''")])
})

test('blocks of a policy that asks for no annotations are comments, whatever is in them', async () => {
  expect(await ask('# METADATA\n# scope: [\np := 1')).toBe(1)
})

test('annotations that expand too far are refused', async () => {
  const lines = Array.from({ length: 20 }, (_, n) => `#   a${n + 1}: &a${n + 1} [*a${n}, *a${n}]`)
  const bomb = `# METADATA\n# custom:\n#   a0: &a0 [x, x]\n${lines.join('\n')}\np := rego.metadata.rule()`
  expect(await faults(bomb)).toEqual(['2: rego_compile_error: annotations are too large'])
  const [fault] = await faults(RULE, { limits: { compileSteps: 150 } })
  expect(fault).toContain('policy takes too much work to compile')
})

test('a query has no rule and no annotations', async () => {
  const policy = await compiled(RULE)
  expect(await policy.query('x := rego.metadata.rule()', { now: NOW, seed: 's' })).toEqual([])
})
