import { expect, test } from 'vitest'
import { Changes } from '../../../shared/store/changes.ts'
import { itemKey } from '../../../shared/store/layout.ts'
import { pointProcessAt } from '../../support/own-process.ts'
import { ORGANIZATIONS, secretsOf, useCrm } from './crm.ts'

const tests = useCrm()

/** Writes a field that breaks its schema to a record, directly to the table. */
async function damage(kind: string, id: string): Promise<void> {
  const { service, stored } = tests()
  pointProcessAt(service.deployment.environmentOf('triggers'))
  const { pk, sk } = itemKey(service.domain.id, kind, id)
  const names = { '#data': 'data' }
  const values = { ':data': { S: JSON.stringify({ ...(await stored(id, kind)), createdAt: 5 }) } }
  const changes = new Changes()
  changes.plan({ update: { pk, sk }, expression: 'SET #data = :data', names, values }, () => new Error('absent'))
  await changes.commit(new Date())
}

test('a damaged active secret does not stop a new one; a damaged organization stops no list of keys', async () => {
  const { admin, organization, user } = tests()
  const id = organization.id as string
  const secrets = secretsOf(admin, id)
  const former = await secrets.create('Data')
  await damage('crm-key', former.id as string)
  const next = await secrets.create('Data')
  expect(next.crm_param.status).toBe('ACTIVE')

  const { holder, sub } = await user('viewer', ['keymgr Users'])
  const acls = [{ user_id: sub, actions: ['view'], permit: true }]
  await admin.ok('POST', `${ORGANIZATIONS}/${id}/update-acls`, { acls })
  const idsOf = ({ resources }: any) => resources.map((one: any) => one.id)
  expect(idsOf(await secretsOf(holder, id).list())).toContain(next.id)
  await damage('crm-organization', id)
  expect(idsOf(await secrets.list())).toContain(next.id)
  expect(idsOf(await secretsOf(holder, id).list())).toEqual([])
})
