import { afterAll, beforeAll, expect, test } from 'vitest'
import { functionsOf } from '../../../../infra/functions.ts'
import { fillRooms } from '../../../../shared/base/room.ts'
import { Changes } from '../../../../shared/store/changes.ts'
import { CLOUDS } from '../../../../shared/clouds/all.ts'
import { PROTOCOLS } from '../../../../shared/endpoints/all.ts'
import { roomsWith } from '../../../../shared/rooms.ts'
import { useVault } from '../../../functions/vault/vault.ts'
import { pointProcessAt } from '../../../support/own-process.ts'
import { call, type Answered } from '../../../support/service.ts'
import { contextOf } from '../../identity/users/requests.ts'
import { throwAway } from './cloud.ts'
import { serveHere } from '../../../support/serve-here.ts'
import { startThrowAway } from './simulator.ts'

/**
 * A cloud that is added by the steps of `docs/contributing/a-new-cloud.md`. Nothing outside this folder refers to it.
 */
const CLOUD_TOKEN = 'token-of-the-cloud'
const clouds = [...CLOUDS, throwAway]
const vault = useVault()
let cloud: Awaited<ReturnType<typeof startThrowAway>>
let here: Awaited<ReturnType<typeof serveHere>>

beforeAll(async () => {
  cloud = await startThrowAway(['red', 'blue'], CLOUD_TOKEN)
  const { environmentOf } = vault().service.deployment
  pointProcessAt({
    ...environmentOf('connections'),
    ...environmentOf('scheduler'),
    ...environmentOf('cloud-a'),
    KEYMGR_THROW_AWAY_ENDPOINT: cloud.endpoint,
  })
  fillRooms(roomsWith(clouds, PROTOCOLS))
  const [{ serve }, { routes }, connections, scheduler] = await Promise.all([
    import('../../../../shared/identity/serve.ts'),
    import('./operations.ts'),
    import('../../../../shared/cloud/connections/operations.ts'),
    import('../../../../shared/work/schedule/operations.ts'),
  ])
  here = await serveHere(serve([...routes, ...connections.routes, ...scheduler.routes]))
})
afterAll(async () => {
  here.stop()
  await cloud.stop()
})

const KEYS = '/v1/keymgr/throw-away/keys'
const ask = async (method: string, path: string, body?: unknown, who = vault().admin): Promise<Answered> =>
  call(here.base, method, path, { token: await who.token(), body })
async function ok(method: string, path: string, body?: unknown, who = vault().admin): Promise<any> {
  const answered = await ask(method, path, body, who)
  expect([200, 201, 202], `${method} ${path}: ${JSON.stringify(answered.body)}`).toContain(answered.status)
  return answered.body
}
const upload = async (label: string): Promise<any> => {
  const local = await vault().admin.create({ name: label, algorithm: 'aes', size: 256 })
  return ok('POST', '/v1/keymgr/throw-away/upload-key', { box: 'red', label, source_key_id: local.id })
}
const held = (key: any) => cloud.keysIn(key.box as string).find(({ id }) => id === key.throw_away_param.id)

test('a connection is created, tested, and refused with a wrong token; its secret is not shown', async () => {
  const at = '/v1/connectionmgmt/services/throw-away/connections'
  const made = await ok('POST', at, { name: 'main', token: CLOUD_TOKEN })
  expect(made).toMatchObject({ service: 'throw-away', name: 'main' })
  expect(JSON.stringify(made)).not.toContain(CLOUD_TOKEN)
  expect(await ok('POST', `${at}/main/test`)).toEqual({ connection_ok: true })
  await ok('POST', at, { name: 'wrong', token: 'another' })
  expect(await ok('POST', `${at}/wrong/test`)).toEqual({
    connection_ok: false,
    connection_error: 'Throw-away refused: HTTP 401',
    connection_failed_step: 'log_in',
  })
})

test('only an existing box is added, and once', async () => {
  const at = '/v1/keymgr/throw-away/boxes'
  expect(await ok('POST', at, { name: 'red', connection: 'main' })).toMatchObject({ name: 'red', connection: 'main' })
  expect((await ask('POST', at, { name: 'red', connection: 'main' })).status).toBe(409)
  expect((await ask('POST', at, { name: 'green', connection: 'main' })).status).toBe(404)
  expect((await ok('GET', at)).resources).toHaveLength(1)
})

test('a key is created with material of the cloud, or uploaded with that of a local key', async () => {
  const created = await ok('POST', KEYS, { box: 'red', label: 'made there' })
  expect(created).toMatchObject({ box: 'red', key_material_origin: 'native', throw_away_param: { enabled: true } })
  const uploaded = await upload('ours')
  expect(uploaded).toMatchObject({ key_material_origin: 'keymgr', local_key_name: 'ours' })
  expect(held(uploaded)?.material).toHaveLength(32)
  expect(await ok('GET', `${KEYS}/${uploaded.id}`)).toEqual(uploaded)
  const { resources } = await ok('GET', `${KEYS}?box=red&label=our*`)
  expect(resources.map(({ id }: any) => id)).toEqual([uploaded.id])
})

test('permissions of a box decide who sees its keys, and who makes them', async () => {
  const { holder, sub } = await vault().user('reader', ['keymgr Users'])
  const [box] = (await ok('GET', '/v1/keymgr/throw-away/boxes')).resources
  expect((await ok('GET', KEYS, undefined, holder)).total).toBe(0)
  const acls = [{ user_id: sub, permit: true, actions: ['view'] }]
  await ok('POST', `/v1/keymgr/throw-away/boxes/${box.id}/update-acls`, { acls })
  expect((await ok('GET', KEYS, undefined, holder)).total).toBe(2)
  expect((await ask('POST', KEYS, { box: 'red', label: 'mine' }, holder)).status).toBe(403)
})

test('a rotation creates a successor with the label, and ends the use of the old key', async () => {
  const old = await upload('orders')
  const successor = await ok('POST', `${KEYS}/${old.id}/rotate`, {})
  expect(successor).toMatchObject({ rotated_from: old.id, throw_away_param: { label: 'orders', enabled: true } })
  expect(await ok('GET', `${KEYS}/${old.id}`)).toMatchObject({
    rotated_to: successor.id,
    rotation_status: 'ROTATED',
    throw_away_param: { label: 'orders (old)', enabled: false },
  })
  expect(held(successor)?.material).not.toEqual(held(old)?.material)
})

test('a rotation that the cloud refuses midway leaves the old key in use, and the new one recorded', async () => {
  const old = await upload('bills')
  cloud.refuseChanges(true)
  const refused = await ask('POST', `${KEYS}/${old.id}/rotate`, {})
  cloud.refuseChanges(false)
  expect([refused.status, refused.body.detail]).toEqual([409, 'Throw-away refused: HTTP 409'])
  expect(await ok('GET', `${KEYS}/${old.id}`)).toMatchObject({ throw_away_param: { label: 'bills', enabled: true } })
  const marks = cloud.keysIn('red').map(({ mark }) => mark)
  const recorded = (await ok('GET', `${KEYS}?limit=100`)).resources.map(({ id }: any) => id as string)
  expect(recorded.toSorted()).toEqual(marks.toSorted())
})

test('job configurations name its boxes; a key that joined one is rotated as by hand', async () => {
  const config = { name: 'boxes', operation: 'keymgr_synchronization', run_at: '0 3 * * *' }
  await ok('POST', '/v1/scheduler/job-configs', {
    ...config,
    keymgr_synchronization_params: { cloud_name: 'throw-away', boxes: ['red'] },
  })
  const { id: job_config_id } = await ok('POST', '/v1/scheduler/job-configs', {
    name: 'nightly',
    operation: 'keymgr_key_rotation',
    run_at: '0 4 * * *',
    keymgr_key_rotation_params: { cloud_name: 'throw-away', rotation_after: '30d' },
  })
  const key = await upload('nightly')
  await ok('POST', `${KEYS}/${key.id}/enable-rotation-job`, { job_config_id })
  expect((await ok('GET', `${KEYS}?rotation_job_enabled=true`)).resources[0].id).toBe(key.id)
})

test('a synchronization finds keys of others, and marks deleted ones as gone', async () => {
  const { throwAwaySynchronized: row } = await import('./rows.ts')
  const [box] = (await ok('GET', '/v1/keymgr/throw-away/boxes')).resources
  const context = contextOf(new Changes(), { now: new Date() })
  expect(await row.named(context, ['red'])).toEqual([{ id: box.id, name: 'red', regions: [''] }])
  const domain = context.caller.domain.id
  const open = await row.open(domain, box.id as string, '', {
    now: context.now,
    begun: context.now,
    budget: AbortSignal.timeout(10_000),
  })
  const { refs } = await open.refs(undefined)
  const read = await open.survey.read(refs[0] ?? '')
  expect(await open.found(read as never, context.now)).toMatchObject({ box: 'red', key_material_origin: 'unknown' })
})

test('the description and the functions of the deployment know it by its row', async () => {
  const { openApiDocument } = await import('../../../../infra/openapi.ts')
  const { ROUTES } = await import('../../../../infra/routes.ts')
  const { routes } = await import('./operations.ts')
  const own = routes.map((route) => ({ ...route, group: throwAway.name }))
  const { paths, tags } = await openApiDocument([...ROUTES, ...own], clouds)
  expect(tags).toContainEqual(expect.objectContaining({ name: 'throw-away' }))
  expect(Object.keys(paths as object)).toContain('/v1/keymgr/throw-away/upload-key')
  const row = functionsOf(clouds, PROTOCOLS).find(({ name }) => name === 'throw-away')
  expect(row).toMatchObject({ prefixes: ['/api/v1/keymgr/throw-away'], grants: expect.arrayContaining(['opens']) })
})
