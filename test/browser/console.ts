import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import type { Service } from '../support/service.ts'
import { logIn, type Watched } from './browser.ts'

export const CONSOLE = '/console/'
export const REGION = 'eu-west-1'
/** The key ring of the simulated cloud-c that tests add. */
export const RING = 'projects/shop-keys/locations/europe-west3/keyRings/orders'

/** Opens a page of the console, and logs in. */
export async function opened(view: Watched, address: string): Promise<Watched> {
  await view.page.goto(address)
  await logIn(view)
  await view.page.getByRole('link', { name: 'keymgr', exact: true }).waitFor()
  return view
}

/** The title of the open page. */
export const titled = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name })

/**
 * Opens the page of a form from a list. Its link is above the list, and once more in a list that turns out to be empty.
 * The list stays until the page is loaded, and its filters have labels that the form has too.
 */
export async function openForm(page: Page, name: string): Promise<void> {
  await page.getByRole('link', { name }).first().click()
  await titled(page, name).waitFor()
}

/** Holds scripts that the page has not loaded yet. @returns a function that releases them */
export async function holdScripts(page: Page): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<undefined>()
  await page.route(/\.js$/, async (route) => {
    await promise
    await route.fallback()
  })
  return () => resolve(undefined)
}

type Endpoints = Readonly<Record<string, any>>
type Post = (path: string, body: object) => Promise<any>

/** Calls of the administrator that must succeed. */
async function posting(service: Service): Promise<Post> {
  const token = await service.logIn()
  return async (path, body) => {
    const { status, body: answer } = await service.call('POST', path, { token, body })
    expect(status, JSON.stringify(answer)).toBeLessThan(300)
    return answer
  }
}

/** Creates a connection to the simulated cloud-a and adds one of its accounts as the KMS `shop`. */
export async function enterCloudA(service: Service): Promise<void> {
  const post = await posting(service)
  const [account] = (service.deployment.endpoints() as Endpoints).cloud_a.accounts
  const { id, access_key_id, secret_access_key } = account
  await post('/v1/connectionmgmt/services/cloud-a/connections', { name: 'shop', access_key_id, secret_access_key })
  await post('/v1/keymgr/cloud-a/kms', { name: 'shop', account_id: id, connection: 'shop', regions: [REGION] })
}

/** Adds a vault of the simulated cloud-b, with one key. @returns its id */
export async function createCloudBKey(service: Service): Promise<string> {
  const post = await posting(service)
  const { tenant_id, client_id, client_secret, subscription_id } = (service.deployment.endpoints() as Endpoints).cloud_b
  const connection = { name: 'office', tenant_id, client_id, client_secret }
  await post('/v1/connectionmgmt/services/cloud-b/connections', connection)
  const vaults = [{ name: 'shop-premium' }]
  await post('/v1/keymgr/cloud-b/add-vaults', { connection: 'office', subscription_id, vaults })
  const key = { key_name: 'stamps', key_vault: 'shop-premium', cloud_b_param: { kty: 'RSA' } }
  return (await post('/v1/keymgr/cloud-b/keys', key)).id as string
}

/** Adds a key ring of the simulated cloud-c, with one key. @returns its id */
export async function createCloudCKey(service: Service): Promise<string> {
  const post = await posting(service)
  const [file] = (service.deployment.endpoints() as Endpoints).cloud_c.key_files
  await post('/v1/connectionmgmt/services/cloud-c/connections', { name: 'plant', key_file: JSON.stringify(file) })
  const rings = { connection: 'plant', project_id: 'shop-keys', key_rings: [{ name: RING }] }
  await post('/v1/keymgr/cloud-c/add-key-rings', rings)
  const key = { key_ring: RING, cloud_c_params: { key_name: 'invoices', purpose: 'ENCRYPT_DECRYPT' } }
  return (await post('/v1/keymgr/cloud-c/keys', key)).id as string
}

/** Adds a vault of the simulated cloud-d, with one pair of keys. @returns its id */
export async function createCloudDPair(service: Service): Promise<string> {
  const post = await posting(service)
  const { connections, vaults } = (service.deployment.endpoints() as Endpoints).cloud_d
  const [{ id: vault, region, compartment_id }] = vaults
  await post('/v1/connectionmgmt/services/cloud-d/connections', { name: 'harbour', ...connections[0] })
  await post('/v1/keymgr/cloud-d/add-vaults', { connection: 'harbour', region, vault_id: [vault] })
  const key = { algorithm: 'RSA', length: 256, protection_mode: 'SOFTWARE' }
  return (await post('/v1/keymgr/cloud-d/keys', { name: 'ships', vault, compartment_id, ...key })).id as string
}

/** Creates local keys with these names. */
export async function createKeys(service: Service, names: readonly string[], more: object = {}): Promise<string[]> {
  const token = await service.logIn()
  const ids: string[] = []
  for (const name of names) {
    const { status, body } = await service.call('POST', '/v1/vault/keys2', {
      token,
      body: { name, algorithm: 'aes', ...more },
    })
    expect(status, JSON.stringify(body)).toBe(201)
    ids.push(body.id as string)
  }
  return ids
}
