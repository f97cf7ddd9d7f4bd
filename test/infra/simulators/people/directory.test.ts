import { once } from 'node:events'
import { connect } from 'node:net'
import { Client } from 'ldapts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startDirectory, type Directory } from '../../../../infra/simulators/people/directory.ts'
import { BASE_DN, GROUPS_DN, PEOPLE_DN, READER } from '../../../../infra/simulators/people/entries.ts'
import { authority } from '../../../support/certificates.ts'

const ca = authority('Directory Authority')
let directory: Directory
beforeAll(async () => {
  directory = await startDirectory(ca.issue('localhost'))
})
afterAll(() => directory.stop())

/** A connection that is bound, by default as the reader. */
async function bound(dn: string = READER.dn, password: string = READER.password): Promise<Client> {
  const client = new Client({ url: directory.tlsUrl, tlsOptions: { ca: ca.cert } })
  await client.bind(dn, password)
  return client
}

const search = async (base: string, options: object = {}) => {
  const client = await bound()
  try {
    return (await client.search(base, options)).searchEntries
  } finally {
    await client.unbind()
  }
}
const namesOf = (entries: readonly { readonly dn: string }[]) => entries.map(({ dn }) => dn)

const ALICE = `uid=alice,${PEOPLE_DN}`
const BOB = `uid=bob,${PEOPLE_DN}`

test.each([
  ['(objectClass=person)', [ALICE, BOB]],
  ['(UID=Alice)', [ALICE]],
  ['(mail=*)', [ALICE, BOB]],
  ['(cn=*b*)', [BOB]],
  ['(cn=Alice*Arch*er)', [ALICE]],
  ['(cn=*Archer*Alice*)', []],
  ['(&(objectClass=person)(!(uid=bob)))', [ALICE]],
  ['(|(uid=bob)(uid=alice))', [ALICE, BOB]],
  ['(uid=nobody)', []],
])('the filter %s finds its people', async (filter, found) => {
  expect(namesOf(await search(PEOPLE_DN, { filter }))).toEqual(found)
})

test('a group names its members, and no entry shows a password', async () => {
  const [group] = await search(GROUPS_DN, { filter: '(cn=key-owners)' })
  expect(group).toMatchObject({ cn: 'key-owners', member: ALICE })
  expect(JSON.stringify(await search(BASE_DN))).not.toMatch(/password/i)
})

test('a search has its scope, its size and its attributes', async () => {
  expect(namesOf(await search(BASE_DN, { scope: 'base' }))).toEqual([BASE_DN])
  expect(namesOf(await search(PEOPLE_DN, { scope: 'one' }))).toEqual([ALICE, BOB])
  expect(namesOf(await search(PEOPLE_DN))).toEqual([PEOPLE_DN, ALICE, BOB])
  expect(namesOf(await search(PEOPLE_DN, { sizeLimit: 1 }))).toEqual([PEOPLE_DN])
  const [alice] = await search(ALICE, { attributes: ['ENTRYUUID'] })
  expect(alice).toEqual({ dn: ALICE, entryUUID: expect.stringMatching(/^[0-9a-f-]{36}$/) })
  await expect(search('o=another')).rejects.toMatchObject({ code: 32 })
})

test('wrong passwords bind no one, and an unbound client may not search', async () => {
  await expect(bound(ALICE, 'wrong')).rejects.toMatchObject({ code: 49 })
  await expect(bound(PEOPLE_DN, 'any')).rejects.toMatchObject({ code: 49 })
  const anonymous = await bound(ALICE, '')
  await expect(anonymous.search(PEOPLE_DN)).rejects.toMatchObject({ code: 50 })
  await anonymous.unbind()
})

test('StartTLS secures a plain connection', async () => {
  const client = new Client({ url: directory.url })
  await client.startTLS({ ca: ca.cert })
  await client.bind(ALICE, 'password of alice')
  expect(namesOf((await client.search(PEOPLE_DN, { filter: '(uid=bob)' })).searchEntries)).toEqual([BOB])
  await client.unbind()
})

test.each([
  ['another protocol', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
  ['a length beyond any request', Buffer.from('3084ffffffff', 'hex')],
  ['a change', Buffer.from('300a0201016a050403613d62', 'hex')],
])('%s ends the connection', async (_what, bytes) => {
  const socket = connect(Number(new URL(directory.url).port), '127.0.0.1')
  socket.on('error', () => undefined).resume()
  socket.write(bytes)
  await once(socket, 'close')
  expect(namesOf(await search(PEOPLE_DN, { scope: 'one' }))).toHaveLength(2)
})
