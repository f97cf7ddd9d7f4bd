import type { TypeName } from '../value.ts'

const LETTERS: Readonly<Record<string, TypeName>> = {
  a: 'array',
  b: 'boolean',
  n: 'number',
  o: 'object',
  s: 'string',
  t: 'set',
  z: 'null',
}
const ANY = 'abnostz'

/**
 * Built-ins by the types of their operands, one word of type letters per built-in, as declared in the reference. All
 * others accept any types.
 */
const TAKES: Readonly<Record<string, string>> = {
  s: `lower upper trim_space strings.reverse units.parse units.parse_bytes glob.quote_meta time.parse_rfc3339_ns
    time.parse_duration_ns base64.encode base64.decode base64url.encode base64url.encode_no_pad base64url.decode hex.encode
    hex.decode urlquery.decode urlquery.decode_object json.unmarshal yaml.unmarshal crypto.md5 crypto.sha1 crypto.sha256
    net.cidr_expand uri.parse uuid.parse io.jwt.decode trace`,
  's s': `contains endswith startswith split trim trim_left trim_right trim_prefix trim_suffix strings.count indexof
    indexof_n time.parse_ns crypto.hmac.md5 crypto.hmac.sha1 crypto.hmac.sha256 crypto.hmac.sha512 crypto.hmac.equal
    net.cidr_contains net.cidr_overlap net.cidr_intersects semver.compare regex.match re_match regex.split regex.globs_match
    io.jwt.verify_hs256 io.jwt.verify_hs384 io.jwt.verify_hs512 io.jwt.verify_rs256 io.jwt.verify_rs384 io.jwt.verify_rs512
    io.jwt.verify_ps256 io.jwt.verify_ps384 io.jwt.verify_ps512 io.jwt.verify_es256 io.jwt.verify_es384 io.jwt.verify_es512
    io.jwt.verify_eddsa`,
  's s s': 'replace regex.replace io.jwt.encode_sign_raw',
  's s s s': 'regex.template_match',
  's s n': 'strings.split_n regex.find_n regex.find_all_string_submatch_n',
  's n n': 'substring',
  's n': 'rand.intn',
  's at': 'concat',
  's a': 'sprintf',
  's o': 'io.jwt.decode_verify',
  's az s': 'glob.match',
  'ast ast': 'strings.any_prefix_match strings.any_suffix_match',
  'o s': 'strings.replace_n',
  n: 'abs ceil floor round bits.negate',
  'n n': 'mul div rem plus numbers.range bits.and bits.or bits.xor bits.lsh bits.rsh format_int',
  'n n n': 'numbers.range_step',
  'nt nt': 'minus',
  bnsz: 'to_number',
  aost: 'count',
  at: 'sum product max min sort all any net.cidr_merge',
  a: 'array.reverse array.flatten object.union_n',
  'a a': 'array.concat',
  'a n n': 'array.slice',
  t: 'intersection union',
  't t': 'and or set_diff',
  o: 'object.keys urlquery.encode_object',
  'o o': 'object.union',
  'o o o': 'io.jwt.encode_sign',
  [`o ${ANY} ${ANY}`]: 'object.get',
  'o aost': 'object.filter object.remove',
  'o at': 'json.filter json.remove graph.reachable graph.reachable_paths',
  'aot aot': 'object.subset',
  [`${ANY} a`]: 'json.patch',
  [`${ANY} o`]: 'json.marshal_with_options',
  an: 'time.date time.clock time.weekday time.format',
  'an an': 'time.diff',
  'an n n n': 'time.add_date',
}

const typesIn = (word: string): ReadonlySet<TypeName> =>
  new Set(Object.entries(LETTERS).flatMap(([letter, type]) => (word.includes(letter) ? [type] : [])))

/** The types that each operand of a built-in may have; absent if all operands accept any value. */
export const OPERAND_TYPES: ReadonlyMap<string, readonly ReadonlySet<TypeName>[]> = new Map(
  Object.entries(TAKES).flatMap(([operands, names]) => {
    const types = operands.split(' ').map(typesIn)
    return names.split(/\s+/).map((name) => [name, types] as const)
  }),
)
