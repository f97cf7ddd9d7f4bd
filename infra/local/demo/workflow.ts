import { randomBytes } from 'node:crypto'
import { KMSClient } from '@aws-sdk/client-kms'
import { Caller } from '../../simulators/toolkit/demo/caller.ts'
import { workInCloudC } from '../../simulators/cloud-c/demo/steps.ts'
import { CloudUser } from '../../simulators/cloud-a/demo/cloud-user.ts'
import { addKms, connect, lookAround, readRegions } from '../../simulators/cloud-a/demo/container-steps.ts'
import { DemoFailure } from '../../simulators/toolkit/demo/failure.ts'
import {
  createHere,
  createNative,
  encrypt,
  disableAndEnable,
  findKeys,
  rotate,
  scheduleAndCancel,
  upload,
  useAfterRotation,
} from '../../simulators/cloud-a/demo/key-steps.ts'
import {
  applyToMany,
  changeAtTheCloud,
  putTemplate,
  showAudit,
  synchronize,
} from '../../simulators/cloud-a/demo/job-steps.ts'
import { hostAKey } from '../../simulators/cloud-a/demo/hosted-steps.ts'
import { Narrator } from '../../simulators/toolkit/demo/narrator.ts'
import type { Target } from './target.ts'

/** Where the demo's keys are made. */
const REGION = 'eu-west-1'

/** What every step works with. */
export interface Demo {
  readonly narrator: Narrator
  readonly service: Caller
  readonly cloud: CloudUser
  readonly account: ReturnType<Target['cloud']>['accounts'][number]
  readonly region: string
  /** What everything is called that is made here: another name each time, so that the demo can be shown again. */
  readonly name: string
  /** Takes back what was made, the youngest first. */
  readonly undo: (() => Promise<unknown>)[]
  readonly logIn: () => Promise<void>
  readonly passDays: Target['passDays']
  readonly hosting: Target['hosting']
  readonly secondCloud: Target['secondCloud']
}

/**
 * Tells the whole story, and takes back what it made, also when it ends early.
 * @throws DemoFailure at the first call that does not go as it should
 */
export async function show(target: Target, print: (text: string) => void): Promise<void> {
  const narrator = new Narrator(print)
  const service = new Caller(target.baseUrl, narrator)
  const logIn = () => service.logIn(target.administrator, target.password)
  narrator.step('Log in')
  await logIn()
  const { endpoint, accounts } = target.cloud()
  const [account] = accounts
  if (account === undefined) throw new DemoFailure('The simulated cloud has no account.')
  const credentials = { accessKeyId: account.access_key_id, secretAccessKey: account.secret_access_key }
  const kms = new KMSClient({ endpoint, region: REGION, credentials })
  const demo: Demo = {
    narrator,
    service,
    cloud: new CloudUser(kms, narrator),
    account,
    region: REGION,
    name: `demo-${randomBytes(3).toString('hex')}`,
    undo: [() => service.logOut()],
    logIn,
    passDays: target.passDays,
    hosting: target.hosting,
    secondCloud: target.secondCloud,
  }
  try {
    await tell(demo)
    narrator.step('Clean up: everything the demo made goes, at the cloud after the seven days it takes')
    await cleanUp(demo)
    narrator.note('That was all, and every step was as expected.')
  } catch (error) {
    await cleanUp(demo).catch((another: unknown) => {
      narrator.note(`Not everything was cleaned up: ${another instanceof Error ? another.message : String(another)}`)
    })
    throw error
  } finally {
    kms.destroy()
  }
}

async function tell(demo: Demo): Promise<void> {
  const connection = await connect(demo)
  await readRegions(demo)
  const kms = await addKms(demo)
  const users = await lookAround(demo, kms)
  const local = await createHere(demo)
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
  if (demo.hosting) await hostAKey({ ...demo, hosting: demo.hosting }, kms, local)
  else demo.narrator.note("Hosted keys are shown on a service of the demo's own, where a week can pass at once.")
  await workInCloudC(demo, local)
  await showAudit(demo, connection)
}

async function cleanUp({ undo }: Demo): Promise<void> {
  for (let step = undo.pop(); step !== undefined; step = undo.pop()) await step()
}
