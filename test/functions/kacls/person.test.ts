import { beforeAll, expect, test } from 'vitest'
import { ADA, BOB, refused, useKacls, type KaclsAnswer } from './kacls.ts'

const kacls = useKacls()

let endpoint: any
let wrapped_key: string
beforeAll(async () => {
  endpoint = await kacls().create()
  wrapped_key = await kacls().wrapped(endpoint)
})

const CAROL = 'carol@staff.example.test'
const CAROL_THERE = 'carol@shop.example.test'

/** Wraps and unwraps with this identity at the identity provider and in the suite; both must end alike. */
async function opens(who: object, email: unknown): Promise<KaclsAnswer> {
  const options = { who, what: { email } }
  const unwrapped = await kacls().unwrap(endpoint, wrapped_key, options)
  const wrapped = await kacls().wrap(endpoint, undefined, options)
  expect(wrapped.status).toBe(unwrapped.status)
  return wrapped
}

test.each([
  ['in the same case', ADA, ADA],
  ['in upper case at the provider', ADA.toUpperCase(), ADA],
  ['in upper case in the suite', ADA, ADA.toUpperCase()],
  ['with letters beyond ASCII, alike', 'ädä@shop.example.test', 'ädä@shop.example.test'],
])('a person is known by an address %s', async (_what, email, there) => {
  expect((await opens({ email }, there)).status).toBe(200)
})

test.each([
  ['of a colleague', ADA, BOB],
  ['with a dot more', 'a.da@shop.example.test', ADA],
  ['with a plus sign', 'ada+files@shop.example.test', ADA],
  ['with a space before it', ` ${ADA}`, ADA],
  ['with a space behind it', `${ADA} `, ADA],
  ['with a line end', `${ADA}\n`, ADA],
  ['with a zero', `${ADA}\0`, ADA],
  ['with a dot behind it', `${ADA}.`, ADA],
  ['that ends alike', `x${ADA}`, ADA],
  ['with a Kelvin sign for k', 'mi\u212ae@shop.example.test', 'mike@shop.example.test'],
  ['with a dotless i', 'm\u0131ke@shop.example.test', 'mike@shop.example.test'],
  ['with a dotted I', 'm\u0130ke@shop.example.test', 'mike@shop.example.test'],
  ['with a long s', 'ada@\u017fhop.example.test', ADA],
  ['in full width', 'ada\uff20shop.example.test', ADA],
  ['with full-width letters', '\uff41da@shop.example.test', ADA],
  ['with a letter of another alphabet', '\u0430da@shop.example.test', ADA],
  ['with an invisible letter', 'a\u200bda@shop.example.test', ADA],
  ['composed otherwise', 'a\u0308da@shop.example.test', '\u00e4da@shop.example.test'],
  ['in another case beyond ASCII', '\u00c4da@shop.example.test', '\u00e4da@shop.example.test'],
  ['with a sharp s for two', 'stra\u00dfe@shop.example.test', 'strasse@shop.example.test'],
])('a person is not identified by an address %s', async (_what, email, there) => {
  expect(await opens({ email }, there)).toEqual(refused(403))
  expect(await opens({ email: there }, email)).toEqual(refused(403))
})

test('the address in the suite decides, if the provider states it', async () => {
  const as = (email: string, google_email: string) => ({ email, google_email })
  expect((await opens(as(CAROL, CAROL_THERE), CAROL_THERE)).status).toBe(200)
  expect((await opens(as(CAROL, CAROL_THERE.toUpperCase()), CAROL_THERE)).status).toBe(200)
  expect((await opens(as(BOB, ADA), ADA)).status).toBe(200)
  expect(await opens(as(CAROL, CAROL_THERE), CAROL)).toEqual(refused(403))
  expect(await opens(as(ADA, BOB), ADA)).toEqual(refused(403))
})

test('an address in the suite that is empty or no text is a fault of the token', async () => {
  for (const google_email of ['', null, 7, [ADA], {}])
    expect(await opens({ google_email }, ADA), JSON.stringify(google_email)).toEqual(refused(401))
})

test('an address in the suite does not replace the address', async () => {
  expect(await opens({ email: undefined, google_email: ADA }, ADA)).toEqual(refused(401))
})

test('an address that the provider did not verify is refused; one without a statement is accepted', async () => {
  for (const email_verified of [false, 'false'])
    expect(await opens({ email_verified }, ADA), String(email_verified)).toEqual(refused(401))
  for (const email_verified of [true, 'true', undefined])
    expect((await opens({ email_verified }, ADA)).status, String(email_verified)).toBe(200)
})

test('a person is refused with the same sentence as a role', async () => {
  const person = await kacls().wrap(endpoint, undefined, { what: { email: BOB } })
  const role = await kacls().wrap(endpoint, undefined, { what: { role: 'reader' } })
  expect(person.body.message).toBe(role.body.message)
})

test.each(['google-visitor', 'customer-idp'])('a guest of type %s is let in where guests are', async (email_type) => {
  const guests = await kacls().create({ allow_guest_access: true })
  const options = { what: { email_type } }
  expect(await kacls().wrap(endpoint, undefined, options)).toEqual(refused(403))
  expect((await kacls().wrap(guests, undefined, options)).status).toBe(200)
  expect(await kacls().wrap(guests, undefined, { what: { email_type, email: BOB } })).toEqual(refused(403))
})

test('an unknown type of address is refused, with and without guests', async () => {
  const guests = await kacls().create({ allow_guest_access: true })
  for (const own of [endpoint, guests])
    for (const email_type of ['Google', 'else', 'constructor'])
      expect(await kacls().wrap(own, undefined, { what: { email_type } }), email_type).toEqual(refused(403))
  for (const email_type of ['google', undefined, ''])
    expect((await kacls().wrap(endpoint, undefined, { what: { email_type } })).status).toBe(200)
})
