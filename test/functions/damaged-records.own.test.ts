import { beforeAll, expect, test } from 'vitest'
import { ROUTES } from '../../infra/routes.ts'
import { atOnce } from '../../shared/base/at-once.ts'
import { loadedOf } from '../../shared/base/room.ts'
import { Refusal } from '../../shared/base/errors.ts'
import { fullPath } from '../../shared/http/serve.ts'
import { PERMISSIONS } from '../../shared/http/permission.ts'
import { Changes } from '../../shared/store/changes.ts'
import { sweepDue } from '../../shared/store/due.ts'
import { itemKey, rowKey } from '../../shared/store/layout.ts'
import { putNew } from '../../shared/store/table.ts'
import { allEntities } from '../support/all-entities.ts'
import { pointProcessAt } from '../support/own-process.ts'
import { call, useService } from '../support/service.ts'
import '../../shared/wiring.ts'

const service = useService({})
const ID = '01900000-0000-7000-8000-000000000001'
const LOCAL_KEY_ID = ID.replaceAll('-', '').repeat(2)
let token = ''

/** Kinds of which the deployment itself has one: without it no request is served. */
const OF_THE_DEPLOYMENT = ['domain', 'domain-key', 'signing-key', 'request-key']

/** Writes an item that lacks nearly all fields, and a list row that refers to it, directly to the table. */
async function plant(name: string, domain: string, id: string): Promise<void> {
  const { pk, sk } = itemKey(domain, name, id)
  await putNew({ pk: { S: pk }, sk: { S: sk }, rev: { N: '1' }, data: { S: '{"createdAt":5}' } })
  const row = rowKey(domain, name, 'all', id)
  await putNew({ pk: { S: row.pk }, sk: { S: row.sk }, row: { S: '{}' } })
}

beforeAll(async () => {
  const { deployment, domain } = service()
  pointProcessAt(deployment.environmentOf('triggers'))
  token = await service().logIn()
  for (const name of (await allEntities()).keys()) {
    if (OF_THE_DEPLOYMENT.includes(name)) continue
    await plant(name, domain.id, ID)
    await plant(name, domain.id, LOCAL_KEY_ID)
  }
})

const asked = (id: string) =>
  ROUTES.filter(({ method, operation }) => method === 'GET' && PERMISSIONS[operation.declaration.may].token)
    .filter(({ operation }) => operation.declaration.may !== 'platform-clients')
    .map(({ path: pattern }) =>
      fullPath(pattern).replace(/\{(\w+)\}/g, (_, name: string) => (name === 'svc' ? 'cloud-a' : id)),
    )

test.each([ID, LOCAL_KEY_ID])(
  'with a damaged record of every kind, every read is answered (%s)',
  { timeout: 120_000 },
  async (id) => {
    const faults: string[] = []
    let refused = 0
    const answered = await atOnce(asked(id), 8, async (target) => ({
      target,
      ...(await call(service().deployment.baseUrl, 'GET', target, { token })),
    }))
    for (const { target, status, body } of answered) {
      if (status === 500) faults.push(`${status} ${target}`)
      if (status !== 409) continue
      refused++
      expect(body, target).toMatchObject({ type: 'urn:keymgr:problem:damaged', code: 8 })
      expect(body.detail, target).toMatch(/^The stored record \S+ is damaged in .*createdAt/)
    }
    expect(faults).toEqual([])
    expect(refused).toBeGreaterThan(id === ID ? 30 : 0)
  },
)

test('callers without a token do not read that a record is damaged', async () => {
  const { userId } = await service().userIn(token, 'somebody', [])
  const { pk, sk } = itemKey(service().domain.id, 'user', userId)
  const changes = new Changes()
  const [names, values] = [{ '#data': 'data' }, { ':data': { S: '{"createdAt":5}' } }]
  changes.plan({ update: { pk, sk }, expression: 'SET #data = :data', names, values }, () => new Error('absent'))
  await changes.commit(new Date())
  const body = { name: 'somebody', password: 'Pass-word-8x' }
  const answer = await service().call('POST', '/v1/auth/tokens', { body })
  expect(answer.status).toBe(500)
  expect(JSON.stringify(answer.body)).not.toContain('damaged')
})

test('all background work refuses a damaged record, and continues with the others', async () => {
  const rows = (await loadedOf('sweeps')).flat()
  expect(rows.length).toBeGreaterThan(30)
  const now = new Date()
  const faults: string[] = []
  for (const { due, work } of rows)
    for (const id of [ID, LOCAL_KEY_ID])
      await work({ domain: service().domain.id, entity: 'thing', id }, { now, hasTime: () => true }).catch(
        (error: unknown) => {
          if (!(error instanceof Refusal) || error.reason !== 'DAMAGED') faults.push(`${due}: ${String(error)}`)
        },
      )
  expect(faults).toEqual([])
  await sweepDue({ now, hasTime: () => true })
})
