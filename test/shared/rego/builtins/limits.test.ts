import { expect, test } from 'vitest'
import { answer } from './answer.ts'

/** each level contains the previous one ten times: a megabyte of values from a kilobyte of text */
const aliases = [
  'a0: &a0 [x,x,x,x,x,x,x,x,x,x]',
  ...Array.from(
    { length: 8 },
    (_, i) => `a${i + 1}: &a${i + 1} [${Array.from({ length: 10 }, () => `*a${i}`).join(',')}]`,
  ),
].join('\n')

const complete = JSON.stringify(
  Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`n${i}`, Array.from({ length: 12 }, (_n, j) => `n${j}`)])),
)

const long = (units: number): string => 'a'.repeat(units)

test.each<[string, Record<string, string>]>([
  ['sprintf("%1000000d%1000000d%1000000d", [1, 1, 1])', {}],
  ['sprintf("%.1000000f%.1000000f", [1.5, 1.5])', {}],
  ['sprintf(concat("", [f | numbers.range(1, 30)[_]; f := "%100000d"]), numbers.range(1, 30))', {}],
  ['concat("", [input.text | numbers.range(1, 5000)[_]])', { text: long(1000) }],
  ['replace(input.text, "a", input.text)', { text: long(2000) }],
  ['regex.replace(input.text, "a", input.text)', { text: long(2000) }],
  ['contains(input.text, input.part)', { text: long(200_000), part: long(50_000) }],
  ['format_int(bits.lsh(1, 5000), 10)', {}],
  ['format_int(1e2000, 10)', {}],
  ['bits.lsh(1, 99999999999999999999)', {}],
  ['product([n | n := numbers.range(1, 2000)[_]])', {}],
  ['numbers.range(0, 9999999999)', {}],
  ['numbers.range_step(0, 9999999999, 3)', {}],
  ['net.cidr_expand("10.0.0.0/8")', {}],
  ['net.cidr_expand("::/0")', {}],
  ['glob.match(input.text, [], "a")', { text: long(2000) }],
  ['glob.match(input.glob, [], input.text)', { glob: '{a,aa}*'.repeat(100), text: long(60_000) }],
  ['regex.match(input.text, "a")', { text: long(2000) }],
  ['regex.match("(((a{50}){50}){50}){50}", "a")', {}],
  ['regex.match(input.pattern, "a")', { pattern: 'a{1000}'.repeat(100) }],
  ['regex.match("(a|aa)+$", input.text)', { text: long(70_000) }],
  ['regex.find_n("(a*b)?a", input.text, -1)', { text: long(60_000) }],
  ['regex.globs_match(input.text, "a")', { text: long(2000) }],
  ['json.unmarshal(input.text)', { text: '['.repeat(100) + ']'.repeat(100) }],
  ['json.unmarshal(input.text)', { text: `[${'1,'.repeat(150_000)}1]` }],
  ['yaml.unmarshal(input.text)', { text: aliases }],
  ['yaml.unmarshal(input.text)', { text: ']'.repeat(30_000) }],
  ['yaml.is_valid(input.text)', { text: ']'.repeat(30_000) }],
  [
    'yaml.marshal([input.text, input.text, input.text, input.text, input.text, input.text])',
    { text: '\u0001'.repeat(200_000) },
  ],
  [
    'json.marshal([input.text, input.text, input.text, input.text, input.text, input.text])',
    { text: '\u0001'.repeat(200_000) },
  ],
  [
    'sprintf("%v", [[input.text, input.text, input.text, input.text, input.text, input.text]])',
    { text: '\u0001'.repeat(200_000) },
  ],
  ['sprintf("%q%q%q%q", [input.text, input.text, input.text, input.text])', { text: '\u0001'.repeat(200_000) }],
  ['sprintf("%x%x%x%x", [input.text, input.text, input.text, input.text])', { text: '\u0800'.repeat(200_000) }],
  ['upper(concat("", [input.text | numbers.range(1, 5)[_]]))', { text: '\u1f80'.repeat(200_000) }],
  ['lower(concat("", [input.text | numbers.range(1, 5)[_]]))', { text: '\u0130'.repeat(200_000) }],
  ['[n | some i in numbers.range(1, 9000); n := bits.lsh(i, 4000)]', {}],
  ['yaml.unmarshal(input.text)', { text: 'a: &a [*a]' }],
  ['yaml.unmarshal(input.text)', { text: `a: &a x\nb: [${'*a,'.repeat(80_000)}*a]` }],
  ['yaml.unmarshal(input.text)', { text: `${'- '.repeat(100)}a` }],
  ['graph.reachable_paths(json.unmarshal(input.text), ["n0"])', { text: complete }],
  ['[v | walk(numbers.range(1, 199990), [_, v])]', {}],
  ['json.match_schema([1], {"$ref": "#"})', {}],
  ['io.jwt.decode(input.text)', { text: `${long(8_000)}.${long(8_000)}.${long(1_000)}` }],
  ['io.jwt.verify_rs256("a.b.YQ", input.text)', { text: '-----BEGIN A-----\n'.repeat(10_000) }],
  ['[v | numbers.range(1, 9)[_]; v := io.jwt.verify_hs256("a.b.YQ", "secret")]', {}],
  ['strings.replace_n({"a": input.text, "b": "c"}, input.text)', { text: long(2000) }],
  ['array.concat(numbers.range(1, 90000), numbers.range(1, 90000))', {}],
  ['json.marshal_with_options([[[[[[[[[[1]]]]]]]]]], {"indent": input.text})', { text: long(100_000) }],
])('%s ends the evaluation', async (expression, input) => {
  expect(await answer(expression, { input })).toMatch(/^eval_cancel_error: /)
})

test.each<[string, Record<string, string>, string]>([
  ['count(sprintf("%1000000d", [1]))', {}, '1000000'],
  ['count(net.cidr_expand("10.0.0.0/20"))', {}, '4096'],
  ['count(numbers.range(1, 100000))', {}, '100000'],
  ['regex.match(input.pattern, "aaab")', { pattern: '(a{50}){0,20}b' }, 'true'],
  ['regex.match("^(a|aa)+$", input.text)', { text: long(10_000) }, 'true'],
  ['glob.match("{a,aa,aaa}*{b,bb}", [], input.text)', { text: `${long(5_000)}b` }, 'true'],
  ['count(json.unmarshal(input.text))', { text: `[${'1,'.repeat(50_000)}1]` }, '50001'],
  ['count(yaml.unmarshal(input.text).b)', { text: `a: &a x\nb: [${'*a,'.repeat(10_000)}*a]` }, '10001'],
  ['bits.lsh(1, 4000) > 0', {}, 'true'],
])('%s is within the limits', async (expression, input, wanted) => {
  expect(await answer(expression, { input })).toBe(wanted)
})
