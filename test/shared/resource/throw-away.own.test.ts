import { afterAll, beforeAll, expect, test } from 'vitest'
import * as z from 'zod'
import { fillRooms, loadedOf, type RoomRow } from '../../../shared/base/room.ts'
import { resourceUri } from '../../../shared/base/ids.ts'
import { CLOUDS } from '../../../shared/clouds/all.ts'
import { PROTOCOLS } from '../../../shared/endpoints/all.ts'
import { Name, NameOrId, Resource } from '../../../shared/http/common-fields.ts'
import { namedQuery } from '../../../shared/http/lists/list-query.ts'
import { namedOrId } from '../../../shared/resource/records.ts'
import { resource } from '../../../shared/resource/resource.ts'
import { roomsWith } from '../../../shared/rooms.ts'
import { entity } from '../../../shared/store/entity.ts'
import { removing } from '../../../shared/store/remove-some.ts'
import { useVault } from '../../functions/vault/vault.ts'
import { pointProcessAt } from '../../support/own-process.ts'
import { serveHere } from '../../support/serve-here.ts'
import { call, type Answered } from '../../support/service.ts'

/**
 * A resource that is added by the steps of `docs/contributing/a-new-resource.md`. Nothing outside this file refers to
 * it.
 */
const Note = Resource.extend({ name: Name, text: z.string().max(1_000) })
const CreateNote = z.strictObject({ name: Name, text: z.string().max(1_000) })
const UpdateNote = CreateNote.partial()

const notes = entity({
  name: 'throw-away-note',
  schema: Note,
  id: ({ id }) => id,
  unique: ({ name }) => ({ name: [name] }),
  sets: () => ['all'],
  row: ({ id, name, createdAt, updatedAt }) => ({ id, name, createdAt, updatedAt }),
})

const declared = resource({
  entity: notes,
  noun: 'note',
  title: 'Note',
  at: '/v1/vault/notes',
  path: z.strictObject({ id: NameOrId }),
  reads: 'key-users',
  changes: 'key-admins',
  answers: Note,
  query: namedQuery(Note),
  createBody: CreateNote,
  updateBody: UpdateNote,
  uri: (domain, id) => resourceUri(domain, 'vault', 'notes', id),
  find: namedOrId(notes),
  audited: ['name', 'text'],
})

const room: RoomRow = { name: 'notes', purge: () => Promise.resolve([removing(notes, 'all')]) }

const NOTES = '/v1/vault/notes'
const vault = useVault()
let here: Awaited<ReturnType<typeof serveHere>>

beforeAll(async () => {
  pointProcessAt(vault().service.deployment.environmentOf('vault'))
  fillRooms([...roomsWith(CLOUDS, PROTOCOLS), room])
  const { serve } = await import('../../../shared/identity/serve.ts')
  here = await serveHere(serve(declared.routes))
})
afterAll(() => here.stop())

const ask = async (method: string, path: string, more: object = {}): Promise<Answered> =>
  call(here.base, method, path, { token: await vault().admin.token(), ...more })
const note = (name: string) => ask('POST', NOTES, { body: { name, text: 'first' } })

test('a record is created, found by id and name, listed and filtered; a taken name is refused', async () => {
  const made = await note('one')
  expect(made).toMatchObject({ status: 201, body: { name: 'one', text: 'first' } })
  for (const reference of [made.body.id, 'one'])
    expect((await ask('GET', `${NOTES}/${reference}`)).body).toEqual(made.body)
  await note('another')
  expect((await ask('GET', NOTES)).body).toMatchObject({ total: 2 })
  expect((await ask('GET', `${NOTES}?name=o*`)).body.resources).toEqual([made.body])
  expect(await note('one')).toMatchObject({ status: 409, body: { errors: [{ pointer: '#/name' }] } })
  expect((await ask('POST', NOTES, { body: { name: 'no text' } })).status).toBe(422)
  expect((await ask('POST', NOTES, { body: { name: 'more', text: '', colour: 'red' } })).status).toBe(400)
})

test('a change can demand the ETag of the record, and is audited', async () => {
  const { body, headers } = await note('changed')
  const at = `${NOTES}/${body.id}`
  const change = { body: { text: 'second' } }
  expect((await ask('PATCH', at, { ...change, headers: { 'if-match': '"0"' } })).status).toBe(412)
  const etag = headers.get('etag') ?? ''
  const changed = await ask('PATCH', at, { ...change, headers: { 'if-match': etag } })
  expect(changed).toMatchObject({ status: 200, body: { ...body, text: 'second', updatedAt: expect.any(String) } })
  expect((await ask('PATCH', at, { ...change, headers: { 'if-match': etag } })).status).toBe(412)
  const { auditRecords } = await import('../../../shared/http/audit/store.ts')
  const { pageOf } = await import('../../../shared/store/list.ts')
  const { items } = await pageOf(auditRecords, body.account.split(':').at(-1), 'all', { skip: 0, limit: 100 })
  expect(items.map(({ item }) => item)).toContainEqual(
    expect.objectContaining({
      message: 'Update Note',
      details: expect.objectContaining({
        resource_name: 'changed',
        before: { text: 'first' },
        after: { text: 'second' },
      }),
    }),
  )
})

test('a record is deleted once; the records of a deleted domain are purged', async () => {
  const { body } = await note('deleted')
  expect(await ask('DELETE', `${NOTES}/${body.id}`)).toMatchObject({ status: 200, body: { status: 204 } })
  expect((await ask('DELETE', `${NOTES}/${body.id}`)).status).toBe(404)
  const domain = body.account.split(':').at(-1)
  const [purge] = (await loadedOf('purge')).at(-1) ?? []
  expect(await purge?.(domain, new Date())).toBe(true)
  expect((await ask('GET', NOTES)).body).toMatchObject({ total: 0 })
  expect(await purge?.(domain, new Date())).toBe(false)
})
