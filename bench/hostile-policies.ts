import { LIMITS } from '../shared/rego/index.ts'

/** Space for a comment that makes a text different from all compiled before. */
const ROOM = 16
const HEAD = 'package a\nallow := true\n'

/** Repeats a piece as often as it fits between head and tail. */
const filled = (head: string, piece: (n: number) => string, tail: string): string => {
  let text = head
  for (let n = 0; text.length + piece(n).length + tail.length <= LIMITS.policyBytes - ROOM; n++) text += piece(n)
  return text + tail
}

/** A policy as customers write them, of the maximum length. */
export const ORDINARY = filled(
  HEAD,
  (n) => `p${n} if {\n\tinput.operation == "op${n}"\n\tnot blocked[input.names[${n}]]\n}\n`,
  'blocked contains x if x := input.blocklist[_]\n',
)

/** Each is quadratic in something, or was. */
export const HOSTILE: Readonly<Record<string, string>> = {
  exponents: filled(`${HEAD}p := [`, (n) => `1e9${10 + (n % 90)},`, '1]'),
  'refused exponents': filled(`${HEAD}p := [`, () => '1e30102,', '1]'),
  branches: filled(`${HEAD}p := 1 if false`, (n) => ` else := ${n % 10}`, ''),
  closures: filled(HEAD, (n) => `p${n} := ${'[x|x:='.repeat(60)}1${']'.repeat(60)}\n`, ''),
  comprehensions: filled(`${HEAD}p := [`, () => '[x|x=1],', '1]'),
  withs: filled(`${HEAD}p if not count([${'input.x,'.repeat(3_000)}])`, () => ' with input as 1', ''),
  patterns: `${HEAD}p if { [${pattern(0, 5_001)}] = [${pattern(1, 5_000)},1] }`,
  'nested sets': filled(`${HEAD}p := [`, () => `${'{'.repeat(150)}1${'}'.repeat(150)},`, '1]'),
  templates: filled(`${HEAD}p := $"`, () => '{input}', '"'),
}

function pattern(from: number, count: number): string {
  return Array.from({ length: count }, (_, n) => `v${n + from}`).join(',')
}
