import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { ADMIN_PASSWORD, type Service } from '../support/service.ts'
import type { Watched } from './browser.ts'

export const CONSOLE = '/console/'
export const REGION = 'eu-west-1'

/** Logs in at the page that is shown. */
export async function logIn({ page }: Pick<Watched, 'page'>, password = ADMIN_PASSWORD): Promise<void> {
  await page.getByLabel('Name').fill('admin')
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Log in', exact: true }).click()
}

/** The title of the page that is shown. */
export const titled = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name })

/** Makes a connection to the simulated cloud-a and enters an account of it as the KMS `shop`. */
export async function enterCloudA(service: Service): Promise<void> {
  const token = await service.logIn()
  const made = async (path: string, body: object): Promise<void> => {
    const { status, body: answer } = await service.call('POST', path, { token, body })
    expect(status, JSON.stringify(answer)).toBeLessThan(300)
  }
  const { accounts } = service.deployment.endpoints().cloud_a as {
    accounts: readonly { id: string; access_key_id: string; secret_access_key: string }[]
  }
  const [account] = accounts
  if (account === undefined) throw new Error('The simulated cloud has no account')
  const { id, access_key_id, secret_access_key } = account
  await made('/v1/connectionmgmt/services/cloud-a/connections', { name: 'shop', access_key_id, secret_access_key })
  await made('/v1/keymgr/cloud-a/kms', { name: 'shop', account_id: id, connection: 'shop', regions: [REGION] })
}

/** Local keys of these names. */
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
