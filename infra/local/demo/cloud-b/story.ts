import * as z from 'zod'
import { CloudBConnection } from '../../../../shared/clouds/cloud-b/connections/model.ts'
import { CloudBKey } from '../../../../shared/clouds/cloud-b/keys/model.ts'
import { reportModel, type ReportedVault } from '../../../../shared/clouds/cloud-b/report-model.ts'
import { CloudBVault } from '../../../../shared/clouds/cloud-b/vaults/model.ts'
import { listOf } from '../../../../shared/http/common-fields.ts'
import { remove } from '../demo.ts'
import type { CloudStory, Demo } from '../demo.ts'
import { assertTold } from '../failure.ts'

const CLOUD_B = '/v1/keymgr/cloud-b'
const REPORTS = `${CLOUD_B}/reports`
const CONNECTIONS = '/v1/connectionmgmt/services/cloud-b/connections'

const Endpoints = z.object({
  tenant_id: z.string(),
  client_id: z.string(),
  client_secret: z.string(),
  subscription_id: z.string(),
  vaults: z.object({ premium: z.string() }),
  log_workspace_id: z.string(),
})
type Endpoints = z.infer<typeof Endpoints>

/** A vault of the cloud with a key pair that never leaves in the clear, its next version, and a report of both. */
export const cloudBStory = (demo: Demo): CloudStory => ({
  work: async () => {
    const { narrator, passSeconds } = demo
    // Ours: on a running service, another domain may already manage the vault, and only one domain can
    if (passSeconds === undefined)
      return narrator.note("Cloud-b is shown on a service of the demo's own, where no other domain has its vaults.")
    const place = Endpoints.parse(demo.endpoints())
    const vault = await addVault(demo, place)
    await uploadAndSucceed(demo, vault)
    await report(demo, { key_vault: vault.id, log_workspace_id: place.log_workspace_id })
  },
  audited: [],
})

async function addVault(demo: Demo, { subscription_id, vaults, ...entry }: Endpoints): Promise<CloudBVault> {
  const { narrator, service, undo } = demo
  const name = `${demo.name}-b`
  const { tenant_id, client_id, client_secret } = entry
  narrator.step('Cloud-b: connect with a client secret, and add a vault')
  await service.call('POST', CONNECTIONS, {
    body: { name, tenant_id, client_id, client_secret },
    answers: CloudBConnection,
    shows: ({ id, service: kind }) => ({ id, service: kind }),
  })
  undo.push(() => remove(demo, `${CONNECTIONS}/${name}`))
  const added = await service.call('POST', `${CLOUD_B}/add-vaults`, {
    body: { connection: name, subscription_id, vaults: [{ name: vaults.premium }] },
    answers: z.object({ vaults: z.tuple([CloudBVault]) }),
    shows: ({ vaults: [{ vault_url, sku }] }) => ({ vault_url, sku }),
  })
  const [vault] = added.vaults
  undo.push(() =>
    service.call('POST', `${CLOUD_B}/vaults/${vault.id}/remove-vault`, {
      answers: z.object({ status: z.literal(204) }),
      shows: (answer) => answer,
    }),
  )
  return vault
}

async function uploadAndSucceed({ narrator, service, name }: Demo, { id: key_vault, vault_url }: CloudBVault) {
  narrator.step(
    'Cloud-b: upload a local RSA key into hardware under a key-exchange key, and let the cloud make its next version',
  )
  const shows = ({ id, version, is_latest, cloud_b_param }: CloudBKey) => ({
    id,
    version,
    is_latest,
    kty: cloud_b_param.key.kty,
  })
  const exchange = { kty: 'RSA-HSM', key_size: 3072, key_ops: ['import'] }
  await service.call('POST', `${CLOUD_B}/keys`, {
    body: { key_name: `${name}-exchange`, key_vault, cloud_b_param: exchange },
    answers: CloudBKey,
    shows,
  })
  await service.call('POST', '/v1/vault/keys2', {
    body: { name: `${name}-pair`, algorithm: 'rsa', size: 3072 },
    answers: z.object({ id: z.string() }),
    shows: (answer) => answer,
  })
  const kek_kid = `${vault_url}/keys/${name}-exchange`
  const first = await service.call('POST', `${CLOUD_B}/upload-key`, {
    body: { key_name: name, key_vault, local_key_identifier: `${name}-pair`, kek_kid, cloud_b_param: {} },
    answers: CloudBKey,
    shows,
  })
  const next = await service.call('POST', `${CLOUD_B}/keys`, {
    body: { key_name: name, key_vault, cloud_b_param: { kty: 'RSA-HSM', key_size: 3072 } },
    answers: CloudBKey,
    shows,
  })
  assertTold(next.is_latest && next.version !== first.version, 'the new version is what is used from now on')
}

async function report(demo: Demo, vault: ReportedVault): Promise<void> {
  const { narrator, service, name, undo } = demo
  narrator.step("Cloud-b: report what was done with the vault's keys, by its diagnostic log")
  const { id } = await service.call('POST', REPORTS, {
    body: { name: `${name}-b`, cloud_b_params: [vault] },
    answers: reportModel.report,
    shows: ({ id, overall_status }) => ({ id, overall_status }),
  })
  undo.push(() => remove(demo, `${REPORTS}/${id}`))
  const ended = await service.until(`${REPORTS}/${id}`, {
    answers: reportModel.report,
    isThere: ({ overall_status }) => overall_status !== 'in_progress',
    shows: ({ overall_status, detailed_status }) => ({ overall_status, detailed_status }),
  })
  assertTold(ended.overall_status === 'completed', 'the report is complete')
  const { resources } = await service.call('GET', `${REPORTS}/${id}/contents?key_name=${name}&limit=-1`, {
    answers: listOf(reportModel.content),
    shows: ({ total, resources }) => ({ total, activities: resources.map(({ key_activity }) => key_activity) }),
  })
  assertTold(resources.length > 0, 'it tells of the key that was uploaded')
}
