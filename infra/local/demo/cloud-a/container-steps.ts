import { AllRegions, CloudAAccount, CloudAKms, IdentityUsers } from '../../../../shared/clouds/cloud-a/kms/model.ts'
import { BulkJob } from '../../../../shared/clouds/cloud-a/bulk-jobs/model.ts'
import { CloudAKey } from '../../../../shared/clouds/cloud-a/keys/model.ts'
import { listOf } from '../../../../shared/http/common-fields.ts'
import { CloudAConnection } from '../../../../shared/clouds/cloud-a/connections/model.ts'
import { ConnectionTest, type Connection } from '../../../../shared/cloud/connections/model.ts'
import { remove } from '../demo.ts'
import { assertTold } from '../failure.ts'
import type { CloudADemo } from './cloud-a-demo.ts'

export const CLOUD_A = '/v1/keymgr/cloud-a'
const CONNECTIONS = '/v1/connectionmgmt/services/cloud-a/connections'

/** All keys of the demo have its name as a tag, also those created without the service. */
export const tagOf = ({ name }: Pick<CloudADemo, 'name'>) => ({ TagKey: 'demo', TagValue: name })

/** Creates the connection and tests it, which makes it ready. */
export async function connect(demo: CloudADemo): Promise<Connection> {
  const { narrator, service, account, name, undo } = demo
  narrator.step('Add a connection to the cloud, and test it')
  const { cloud_name, access_key_id, secret_access_key } = account
  const made = await service.call('POST', CONNECTIONS, {
    body: { name, cloud_name, access_key_id, secret_access_key },
    answers: CloudAConnection,
    shows: ({ id, service: kind, ready }) => ({ id, service: kind, ready }),
  })
  undo.push(() => remove(demo, `${CONNECTIONS}/${name}`))
  assertTold(!made.ready, 'a connection that was never tested is not ready')
  const { connection_ok } = await service.call('POST', `${CONNECTIONS}/${name}/test`, {
    body: {},
    answers: ConnectionTest,
    shows: (answer) => answer,
  })
  assertTold(connection_ok, 'the connection works')
  const tested = await service.call('GET', `${CONNECTIONS}/${name}`, {
    answers: CloudAConnection,
    shows: ({ ready, last_connection_ok }) => ({ ready, last_connection_ok }),
  })
  assertTold(tested.ready, 'a connection whose last test was ok is ready')
  return tested
}

/** Reads the account of the connection, and its regions. */
export async function readRegions({ narrator, service, name, account, region }: CloudADemo): Promise<void> {
  narrator.step('Read the account behind it, and its regions')
  const { account_id, regions } = await service.call('POST', `${CLOUD_A}/accounts`, {
    body: { connection: name },
    answers: CloudAAccount,
    shows: ({ account_id, regions }) => ({ account_id, regions: regions.length }),
  })
  assertTold(account_id === account.id && regions.includes(region), `the account has the region ${region}`)
  await service.call('POST', `${CLOUD_A}/get-all-regions`, {
    body: { connection: name },
    answers: AllRegions,
    shows: ({ regions }) => ({ regions: `${regions.slice(0, 3).join(', ')}, and ${regions.length - 3} more` }),
  })
}

/** Adds one region of the account as a container. */
export async function addKms(demo: CloudADemo): Promise<CloudAKms> {
  const { narrator, service, account, name, region, undo } = demo
  narrator.step('Add the account with one region as a KMS entry')
  const kms = await service.call('POST', `${CLOUD_A}/kms`, {
    body: { name, account_id: account.id, connection: name, regions: [region] },
    answers: CloudAKms,
    shows: ({ id, arn, status }) => ({ id, arn, status }),
  })
  undo.push(() => removeKms(demo, kms))
  return kms
}

/** Deleting an entry leaves the keys in the cloud, so one bulk job schedules their deletion first. */
async function removeKms(demo: CloudADemo, { id }: CloudAKms): Promise<void> {
  const { service, name } = demo
  const tags = encodeURIComponent(`demo=${name}`)
  const { resources } = await service.call('GET', `${CLOUD_A}/keys?kms_id=${id}&tags=${tags}&gone=false&limit=-1`, {
    answers: listOf(CloudAKey),
    shows: ({ total }) => ({ total }),
  })
  const keys = resources
    .filter(({ cloud_a_param: { KeyState } }) => KeyState !== 'PendingDeletion')
    .map((key) => key.id)
  if (keys.length > 0) await runBulkJob(demo, { operation: 'schedulekeydeletion', days: 7, keys })
  await remove(demo, `${CLOUD_A}/kms/${id}`)
}

/** Starts a bulk job and waits for its end. */
export async function runBulkJob(
  { service }: CloudADemo,
  body: { readonly operation: string; readonly keys: readonly string[]; readonly [more: string]: unknown },
): Promise<BulkJob> {
  const { id } = await service.call('POST', `${CLOUD_A}/bulkjob`, {
    body,
    answers: BulkJob,
    shows: ({ id, overall_status }) => ({ id, overall_status }),
  })
  const job = await service.until(`${CLOUD_A}/bulkjob/${id}`, {
    answers: BulkJob,
    isThere: ({ overall_status }) => overall_status !== 'in_progress',
    shows: ({ overall_status, detailed_status }) => ({ overall_status, detailed_status }),
  })
  assertTold(job.overall_status === 'completed', 'the bulk job did all its keys')
  return job
}

/** Lists the account's users at the cloud. @returns their names */
export async function lookAround({ narrator, service }: CloudADemo, { id }: CloudAKms): Promise<string[]> {
  narrator.step('Look up users of the account, for policies')
  const { users } = await service.call('POST', `${CLOUD_A}/get-iam-users`, {
    body: { kms: id },
    answers: IdentityUsers,
    shows: ({ users }) => ({ users: users.map((user) => user.name) }),
  })
  assertTold(users.length > 0, 'the account has users')
  return users.map((user) => user.name)
}
