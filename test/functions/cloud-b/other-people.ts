import { expect } from 'vitest'
import type { CloudBSimulator } from '../../../infra/simulators/cloud-b/simulator.ts'
import type { CloudBTests } from './cloud-b.ts'

/** Another user's call to a vault, with the first application. @returns the body of the answer */
export async function atCloud(
  cloud: CloudBSimulator,
  vault: string,
  method: string,
  path: string,
  body?: object,
): Promise<any> {
  const [application] = cloud.applications()
  if (application === undefined) throw new Error('The cloud has no application')
  const response = await fetch(`${cloud.endpoint}${path}?api-version=7.4`, {
    method,
    headers: {
      'content-type': 'application/json',
      'x-forwarded-host': `${vault}.vault.azure.net`,
      authorization: `Bearer ${await cloud.bearerOf(application.objectId, 'vault')}`,
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  expect(response.ok, `${method} ${path}: ${text}`).toBe(true)
  return text === '' ? undefined : JSON.parse(text)
}

/** Starts a synchronization and waits for its end. @param family path of its jobs */
export async function synchronized({ admin, service }: CloudBTests, family: string, body: object): Promise<any> {
  const { id } = await admin.ok('POST', family, body)
  await service.deployment.flows.idle()
  return admin.ok('GET', `${family}/${id}`)
}
