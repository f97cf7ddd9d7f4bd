import { compileUpload, PolicyError } from '../../../shared/rego/index.ts'
import { filled, nested, refusingLater, type Target } from '../target.ts'

const policy = (body: string): string => `package p\n\nimport rego.v1\n\n${body}\n`

export const target: Target = {
  parse: (bytes) => refusingLater([PolicyError], () => compileUpload(bytes.toString('utf8'))),
  seeds: () => [
    policy('default allow := false\n\nallow if input.clients == "a@b"'),
    policy('allow if {\n  some x in input.list\n  x.a[_] == {"k": [1, 2.5e3, `raw`]}\n  not x.b\n}'),
    policy(
      'f(x) := y if { y := x + 1 }\n\nelse := 2\n\ns contains v if { v := {e | e := input.a[_]} with input as {} }',
    ),
  ],
  shapes: () => ({
    'brackets in brackets': policy(`a := ${nested('[', '', ']').slice(0, 60_000)}`),
    'calls in calls': policy(`a := ${'f('.repeat(20_000)}`),
    'a long sum': policy(`a := ${filled('1+').slice(0, 65_000)}1`),
    'many rules': policy(filled('a if b\n').slice(0, 65_000)),
    'many comments': filled('# x\n'),
    'a long string': policy(`a := "${filled('\\u0041').slice(0, 64_998)}"`),
    'an open raw string': policy(`a := \`${filled('x').slice(0, 65_000)}`),
    'many dots': policy(`a := b${filled('.c').slice(0, 65_000)}`),
    'comprehensions in comprehensions': policy(`a := ${'[x | x := '.repeat(6_000)}`),
    'many references': policy(`a := ${filled('[b[i]').slice(0, 65_000)}`),
    'many `else`': policy(`a := 1 if b\n${filled('else := 1 if b\n').slice(0, 64_500)}`),
    blanks: filled(' '),
    zeros: filled('\0'),
  }),
}
