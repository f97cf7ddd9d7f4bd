import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  BANK,
  SHOP,
  SHOP_COMPARTMENTS,
  startCloudD,
  type CloudDSimulator,
} from '../../../../../infra/simulators/cloud-d/simulator.ts'
import { send } from '../clients.ts'

const { orders, invoices, archive } = SHOP_COMPARTMENTS
let simulator: CloudDSimulator

beforeAll(async () => {
  simulator = await startCloudD({ clock: { now: () => new Date() } })
})
afterAll(() => simulator.stop())

const get = (path: string, user = simulator.credentials[0]) =>
  send(simulator, `/identity/eu-frankfurt-1/20160918${path}`, { user })
const names = (body: { name: string }[]) => body.map(({ name }) => name)

test('a tenancy has regions, one of them its home', async () => {
  expect((await get(`/tenancies/${SHOP}`)).body).toMatchObject({ id: SHOP, name: 'shop', homeRegionKey: 'FRA' })
  expect((await get(`/tenancies/${SHOP}/regionSubscriptions`)).body).toEqual([
    { regionKey: 'FRA', regionName: 'eu-frankfurt-1', status: 'READY', isHomeRegion: true },
    { regionKey: 'IAD', regionName: 'us-ashburn-1', status: 'READY', isHomeRegion: false },
    { regionKey: 'NRT', regionName: 'ap-tokyo-1', status: 'IN_PROGRESS', isHomeRegion: false },
  ])
  expect((await get('/regions')).body).toContainEqual({ key: 'ZRH', name: 'eu-zurich-1' })
  expect((await get(`/tenancies/${BANK}`)).code).toBe('NotAuthorizedOrNotFound')
})

test('compartments are a tree; all of them are listed below the root, which is not in the list', async () => {
  const all = await get(`/compartments?compartmentId=${SHOP}&compartmentIdInSubtree=true&accessLevel=ANY`)
  expect(names(all.body)).toEqual(['archive', 'invoices', 'orders'])
  expect(names((await get(`/compartments?compartmentId=${SHOP}`)).body)).toEqual(['archive', 'orders'])
  expect(names((await get(`/compartments?compartmentId=${orders}`)).body)).toEqual(['invoices'])
  expect(names((await get(`/compartments?compartmentId=${SHOP}&lifecycleState=ACTIVE`)).body)).toEqual(['orders'])
  expect(names((await get(`/compartments?compartmentId=${SHOP}&name=archive`)).body)).toEqual(['archive'])
})

test('compartments are listed page by page', async () => {
  const path = `/compartments?compartmentId=${SHOP}&compartmentIdInSubtree=true&limit=2`
  const first = await get(path)
  const second = await get(`${path}&page=${String(first.headers.get('opc-next-page'))}`)
  expect([names(first.body), names(second.body)]).toEqual([['archive', 'invoices'], ['orders']])
  expect(second.headers.get('opc-next-page')).toBeNull()
})

test('a subtree can be listed only for the tenancy', async () => {
  const { status, code } = await get(`/compartments?compartmentId=${orders}&compartmentIdInSubtree=true`)
  expect([status, code]).toEqual([400, 'InvalidParameter'])
  expect((await get('/compartments')).code).toBe('MissingParameter')
})

test('a compartment is read by its id, the root by the tenancy’s id', async () => {
  expect((await get(`/compartments/${invoices}`)).body).toMatchObject({
    name: 'invoices',
    compartmentId: orders,
    lifecycleState: 'ACTIVE',
  })
  expect((await get(`/compartments/${archive}`)).body).toMatchObject({ lifecycleState: 'INACTIVE' })
  expect((await get(`/compartments/${SHOP}`)).body).not.toHaveProperty('compartmentId')
  expect((await get(`/compartments/${BANK}`)).code).toBe('NotAuthorizedOrNotFound')
})

test('a user sees the compartments of its rights', async () => {
  const [, visitor] = simulator.credentials
  expect((await get(`/compartments/${orders}`, visitor)).code).toBe('NotAuthorizedOrNotFound')
  expect((await get(`/compartments/${invoices}`, visitor)).code).toBe('OK')
  const accessible = await get(
    `/compartments?compartmentId=${SHOP}&compartmentIdInSubtree=true&accessLevel=ACCESSIBLE`,
    visitor,
  )
  expect(names(accessible.body)).toEqual(['invoices'])
})

test('users are read in their own tenancy', async () => {
  const [own] = simulator.credentials
  const other = simulator.credentials.find(({ tenancyId }) => tenancyId === BANK)
  expect((await get(`/users/${own.userId}`)).body).toMatchObject({ name: 'keymgr@shop.example' })
  expect((await get(`/users/${String(other?.userId)}`)).code).toBe('NotAuthorizedOrNotFound')
})

test('namespaces of tags have keys', async () => {
  const { body } = await get(`/tagNamespaces?compartmentId=${SHOP}&includeSubcompartments=true`)
  expect(names(body)).toEqual(['operations'])
  expect(names((await get(`/tagNamespaces/${String(body[0].id)}/tags`)).body)).toEqual(['cost-centre', 'owner'])
  expect((await get('/tagNamespaces/none/tags')).code).toBe('NotAuthorizedOrNotFound')
})
