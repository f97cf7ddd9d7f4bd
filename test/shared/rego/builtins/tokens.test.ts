import { constants, createHmac, createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import type { KeyObject } from 'node:crypto'
import { expect, test } from 'vitest'
import { NOW, answer } from './answer.ts'

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** A token created with node:crypto only. */
function token(header: object, claims: object, signature: (data: string) => Buffer): string {
  const data = `${part(header)}.${part(claims)}`
  return `${data}.${signature(data).toString('base64url')}`
}

const hmac = (hash: string, secret: string) => (data: string) => createHmac(hash, secret).update(data).digest()
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' })
const edwards = generateKeyPairSync('ed25519')

const pem = (key: KeyObject): string => key.export({ type: 'spki', format: 'pem' }).toString()
const jwk = (key: KeyObject, more: object = {}): string => JSON.stringify({ ...key.export({ format: 'jwk' }), ...more })
const signed = (hash: string | undefined, key: KeyObject) => (data: string) => sign(hash, Buffer.from(data), key)
const pss = (data: string) =>
  sign('sha256', Buffer.from(data), { key: rsa.privateKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 })
const ecdsa = (hash: string, key: KeyObject) => (data: string) =>
  sign(hash, Buffer.from(data), { key, dsaEncoding: 'ieee-p1363' })

const claims = { iss: 'me', sub: 'you' }
const hs256 = token({ alg: 'HS256' }, claims, hmac('sha256', 'secret'))
const rs256 = token({ alg: 'RS256', kid: 'a' }, claims, signed('sha256', rsa.privateKey))
const ps256 = token({ alg: 'PS256' }, claims, pss)
const es256 = token({ alg: 'ES256' }, claims, ecdsa('sha256', p256.privateKey))
const es384 = token({ alg: 'ES384' }, claims, ecdsa('sha384', p384.privateKey))
const eddsa = token({ alg: 'EdDSA' }, claims, signed(undefined, edwards.privateKey))

const ask = (call: string, input: Record<string, string>): Promise<string> => answer(call, { input })

test.each([
  ['hs256', hs256, 'secret', 'true'],
  ['hs256', hs256, 'other', 'false'],
  ['hs512', hs256, 'secret', 'false'],
  ['rs256', rs256, pem(rsa.publicKey), 'true'],
  ['rs256', rs256, jwk(rsa.publicKey), 'true'],
  ['rs256', ps256, pem(rsa.publicKey), 'false'],
  ['rs256', rs256, pem(p256.publicKey), 'false'],
  ['ps256', ps256, pem(rsa.publicKey), 'true'],
  ['es256', es256, pem(p256.publicKey), 'true'],
  ['es384', es384, jwk(p384.publicKey), 'true'],
  ['es256', es256, pem(p384.publicKey), 'false'],
  ['eddsa', eddsa, jwk(edwards.publicKey), 'true'],
  ['eddsa', es256, pem(edwards.publicKey), 'false'],
])('io.jwt.verify_%s of a token %s… under a key is %#', async (name, jwt, key, wanted) => {
  expect(await ask(`io.jwt.verify_${name}(input.jwt, input.key)`, { jwt, key })).toBe(wanted)
})

test.each([
  ['the key a header names is the only one tried', [jwk(p256.publicKey, { kid: 'a' }), jwk(rsa.publicKey)], 'false'],
  ['without that name, any will do', [jwk(p256.publicKey, { kid: 'x' }), jwk(rsa.publicKey, { kid: 'y' })], 'true'],
  ['a key for another algorithm is passed over', [jwk(rsa.publicKey, { alg: 'RS512' })], 'false'],
  ['a key for an unknown algorithm is not there', [jwk(rsa.publicKey, { alg: 'XS256', kid: 'a' })], 'false'],
])('in a set of keys, %s', async (_what, keys, wanted) => {
  const key = `{"keys": [${keys.join(',')}]}`
  expect(await ask('io.jwt.verify_rs256(input.jwt, input.key)', { jwt: rs256, key })).toBe(wanted)
})

test.each([
  ['', 'eval_builtin_error: io.jwt.verify_rs256: failed to parse a JWK key (set): not a key'],
  [`${pem(rsa.publicKey)}x`, 'eval_builtin_error: io.jwt.verify_rs256: extra data after a PEM certificate block'],
  [
    '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
    'eval_builtin_error: io.jwt.verify_rs256: failed to parse a PEM certificate',
  ],
  [
    rsa.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    'eval_builtin_error: io.jwt.verify_rs256: failed to extract a Key from the PEM certificate',
  ],
])('an invalid public key is refused', async (key, wanted) => {
  expect(await ask('io.jwt.verify_rs256(input.jwt, input.key)', { jwt: rs256, key })).toBe(wanted)
})

test.each([
  ['a', 'encoded JWT had no period separators'],
  ['a.b', 'encoded JWT must have 3 sections, found 2'],
  ['a*.b.c', 'JWT header had invalid encoding: illegal base64 data at input byte 1'],
  [`${part([])}.${part({})}.`, 'bad JWT header: decoded JSON type was not an Object'],
  [`${part({ enc: 'x' })}.${part({})}.`, 'JWT is a JWE object, which is not supported'],
  [`${part({})}.${part({})}.a*`, 'JWT signature had invalid encoding: illegal base64 data at input byte 1'],
])('the token %s reports why it cannot be decoded', async (jwt, why) => {
  expect(await ask('io.jwt.decode(input.jwt)', { jwt })).toBe(`eval_builtin_error: io.jwt.decode: ${why}`)
})

test('decoding shows header, claims and signature of the innermost token', async () => {
  const signature = Buffer.from(hs256.split('.')[2] ?? '', 'base64url').toString('hex')
  const wanted = `[{"alg": "HS256"}, {"iss": "me", "sub": "you"}, "${signature}"]`
  expect(await ask('io.jwt.decode(input.jwt)', { jwt: hs256 })).toBe(wanted)
  const nested = `${part({ cty: 'JWT' })}.${Buffer.from(`"${hs256}"`).toString('base64url')}.`
  expect(await ask('io.jwt.decode(input.jwt)', { jwt: nested })).toBe(wanted)
})

const seconds = Number(NOW / 1_000_000_000n)
const of = (more: object, header: object = {}): string =>
  token({ alg: 'HS256', ...header }, more, hmac('sha256', 'secret'))

test.each([
  ['nothing else asked', of({}), '{"secret": "secret"}', true],
  ['wrong secret', of({}), '{"secret": "Secret"}', false],
  ['algorithm as asked', of({}), '{"secret": "secret", "alg": "HS256"}', true],
  ['another algorithm', of({}), '{"secret": "secret", "alg": "HS512"}', false],
  ['no algorithm', `${part({ alg: 'none' })}.${part({})}.`, '{"secret": "secret"}', false],
  ['issuer', of({ iss: 'me' }), '{"secret": "secret", "iss": "me"}', true],
  ['no issuer', of({}), '{"secret": "secret", "iss": "me"}', false],
  ['audience', of({ aud: ['x', 'me'] }), '{"secret": "secret", "aud": "me"}', true],
  ['audience nobody asked for', of({ aud: 'me' }), '{"secret": "secret"}', false],
  ['no audience', of({}), '{"secret": "secret", "aud": "me"}', false],
  ['not expired', of({ exp: seconds + 1 }), '{"secret": "secret"}', true],
  ['expired', of({ exp: seconds }), '{"secret": "secret"}', false],
  ['already valid', of({ nbf: seconds }), '{"secret": "secret"}', true],
  ['not yet valid', of({ nbf: seconds + 1 }), '{"secret": "secret"}', false],
  ['another time', of({ exp: 10 }), '{"secret": "secret", "time": 9999999999}', true],
  ['critical and unknown', of({}, { crit: ['x'], x: 1 }), '{"secret": "secret"}', false],
])('decode_verify checks its constraints: %s', async (_what, jwt, constraints, valid) => {
  expect(await ask(`io.jwt.decode_verify(input.jwt, ${constraints})[0]`, { jwt })).toBe(String(valid))
})

test.each([
  ['{}', 'no key constraint'],
  ['{"secret": "a", "cert": input.key}', 'duplicate key constraints'],
  ['{"secret": "a", "sub": "b"}', 'unknown token validation constraint: sub'],
  ['{"secret": "a", "time": -1}', 'token time constraint: must not be negative'],
])('the constraints %s are refused', async (constraints, why) => {
  const call = `io.jwt.decode_verify(input.jwt, ${constraints})`
  expect(await ask(call, { jwt: hs256, key: jwk(rsa.publicKey) })).toBe(
    `eval_builtin_error: io.jwt.decode_verify: ${why}`,
  )
})

test('a public key is no secret: a token signed with its text as a secret is invalid', async () => {
  const key = pem(rsa.publicKey)
  const forged = token({ alg: 'HS256' }, claims, hmac('sha256', key))
  expect(await ask('io.jwt.decode_verify(input.jwt, {"cert": input.key})', { jwt: forged, key })).toBe(
    '[false, {}, {}]',
  )
})

test('a secret verifies no signature of a private key', async () => {
  expect(
    await ask('io.jwt.decode_verify(input.jwt, {"secret": input.key})', { jwt: rs256, key: pem(rsa.publicKey) }),
  ).toBe('[false, {}, {}]')
})

test('an RSA key of 1024 bits verifies nothing', async () => {
  const small = generateKeyPairSync('rsa', { modulusLength: 1024 })
  const jwt = token({ alg: 'RS256' }, claims, signed('sha256', small.privateKey))
  expect(await ask('io.jwt.verify_rs256(input.jwt, input.key)', { jwt, key: pem(small.publicKey) })).toBe('false')
})

test.each([
  ['HS256', JSON.stringify({ kty: 'oct', k: 'c2VjcmV0' }), 'secret'],
  ['RS256', jwk(rsa.privateKey), pem(rsa.publicKey)],
  ['PS256', jwk(rsa.privateKey), pem(rsa.publicKey)],
  ['ES256', jwk(p256.privateKey), pem(createPublicKey(p256.privateKey))],
  ['EdDSA', jwk(edwards.privateKey), pem(edwards.publicKey)],
])('tokens of encode_sign with %s verify', async (alg, key, verifier) => {
  const call = `io.jwt.verify_${alg.toLowerCase()}(io.jwt.encode_sign({"alg": "${alg}"}, {"a": 1}, json.unmarshal(input.key)), input.verifier)`
  expect(await ask(call, { key, verifier })).toBe('true')
})

test.each([
  ['{}', '{}', 'missing or invalid \'alg\' header: jwsbb: header "alg" not found'],
  ['{"alg": "none"}', '{}', 'unknown JWS algorithm: none'],
  ['{"alg": "HS256", "typ": "JWT"}', 'x', 'type is JWT but payload is not JSON'],
  ['{"alg": "RS256"}', '{}', 'the key does not fit RS256'],
])('encode_sign_raw refuses the header %s over %s', async (header, payload, why) => {
  const call = 'io.jwt.encode_sign_raw(input.header, input.payload, `{"kty": "oct", "k": "c2VjcmV0"}`)'
  expect(await ask(call, { header, payload })).toBe(`eval_builtin_error: io.jwt.encode_sign_raw: ${why}`)
})
