import { KMSClient } from '@aws-sdk/client-kms'
import type { CloudAKms } from '../../../../shared/clouds/cloud-a/kms/model.ts'
import type { LocalKey } from '../../../../shared/vault/keys/model.ts'
import type { CloudStory, Demo } from '../demo.ts'
import { DemoFailure } from '../failure.ts'
import { Endpoints, type CloudADemo } from './cloud-a-demo.ts'
import { CloudUser } from './cloud-user.ts'
import { addKms, connect, lookAround, readRegions } from './container-steps.ts'
import { hostAKey } from './hosted-steps.ts'
import { applyToMany, changeAtTheCloud, putTemplate, synchronize } from './job-steps.ts'
import {
  createNative,
  disableAndEnable,
  encrypt,
  findKeys,
  rotate,
  scheduleAndCancel,
  upload,
  useAfterRotation,
} from './key-steps.ts'

/** Region of the demo's keys. */
const REGION = 'eu-west-1'

/** @throws DemoFailure if the cloud is not simulated or has no account */
export function cloudAStory(common: Demo): CloudStory {
  const { endpoint, accounts, proxy_host } = Endpoints.parse(common.endpoints())
  const [account] = accounts
  if (account === undefined) throw new DemoFailure('The simulated cloud has no account.')
  const credentials = { accessKeyId: account.access_key_id, secretAccessKey: account.secret_access_key }
  const client = new KMSClient({ endpoint, region: REGION, credentials })
  common.undo.push(() => Promise.resolve(client.destroy()))
  const demo: CloudADemo = { ...common, cloud: new CloudUser(client, common.narrator), account, region: REGION }
  let kms: CloudAKms | undefined
  let users: string[] = []
  return {
    prepare: async () => {
      const { createdAt } = await connect(demo)
      await readRegions(demo)
      kms = await addKms(demo)
      users = await lookAround(demo, kms)
      return createdAt
    },
    work: async (local) => {
      if (kms === undefined) throw new Error('The demo works in a prepared cloud.')
      await work(demo, { kms, users, local, proxyHost: proxy_host })
    },
    audited: ['Upload Cloud-a Key', 'Rotate Cloud-a Key', 'Start Synchronization'],
  }
}

async function work(
  demo: CloudADemo,
  prepared: { kms: CloudAKms; users: string[]; local: LocalKey; proxyHost: string | undefined },
): Promise<void> {
  const { kms, users, local, proxyHost } = prepared
  const uploaded = await upload(demo, kms, local)
  const [native, lost] = await createNative(demo, kms)
  const encrypted = await encrypt(demo, uploaded)
  const successor = await rotate(demo, uploaded)
  await useAfterRotation(demo, { old: uploaded, successor, encrypted })
  const found = await changeAtTheCloud(demo, lost)
  await synchronize(demo, kms, { lost, found })
  await findKeys(demo, kms, { successor, old: uploaded })
  await disableAndEnable(demo, native)
  const template = await putTemplate(demo, kms, { users, key: successor })
  await applyToMany(demo, template, kms)
  await scheduleAndCancel(demo, native)
  const { passSeconds } = demo
  if (passSeconds !== undefined && proxyHost !== undefined)
    await hostAKey({ ...demo, passSeconds, endpoint: `https://${proxyHost}` }, kms, local)
  else demo.narrator.note("Hosted keys are shown on a service of the demo's own, where a week can pass at once.")
}
