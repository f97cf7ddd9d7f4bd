import { randomBytes } from 'node:crypto'
import { listOf } from '../../../shared/http/common-fields.ts'
import { AuditRecord } from '../../../shared/http/audit/model.ts'
import { LocalKey } from '../../../shared/vault/keys/model.ts'
import { SIMULATORS } from '../../simulators/all.ts'
import { Caller } from './caller.ts'
import { LOCAL_KEYS, removeUsed, type CloudStory, type Demo } from './demo.ts'
import { assertTold, DemoFailure } from './failure.ts'
import { Narrator } from './narrator.ts'
import { endpointsKey } from '../../simulators/toolkit/simulator.ts'
import { STORIES } from './stories.ts'
import type { Target } from './target.ts'

/** The tools of steps that concern no cloud. */
type Common = Omit<Demo, 'endpoints'>

/**
 * Runs all steps, then the clean-up, also when a step fails; without clean-up where the target keeps its records.
 * @throws DemoFailure at the first call with an unexpected answer
 */
export async function show(target: Target, print: (text: string) => void): Promise<void> {
  const narrator = new Narrator(print)
  const service = new Caller(target.baseUrl, narrator)
  const logIn = () => service.logIn(target.administrator, target.password)
  narrator.step('Log in')
  await logIn()
  const demo: Common = {
    narrator,
    service,
    name: `demo-${randomBytes(3).toString('hex')}`,
    undo: [() => service.logOut()],
    logIn,
    ...(target.passSeconds && { passSeconds: target.passSeconds }),
  }
  try {
    await tell(demo, storiesOf(demo, target))
    if (target.leavesRecords === true) return
    narrator.step('Clean up: everything the demo made goes, at the cloud after the seven days it takes')
    await cleanUp(demo)
    narrator.note('That was all, and every step was as expected.')
  } catch (error) {
    await cleanUp(demo).catch((another: unknown) => {
      narrator.note(`Not everything was cleaned up: ${another instanceof Error ? another.message : String(another)}`)
    })
    throw error
  }
}

const storiesOf = (demo: Common, target: Target): CloudStory[] =>
  SIMULATORS.map((row) => {
    const endpoints = () => {
      const found = target.endpoints()[endpointsKey(row)]
      if (found !== undefined) return found
      throw new DemoFailure(
        `The service uses another ${row.cloud} than the simulated one, where the demo makes no keys.`,
      )
    }
    return STORIES[row.member]({ ...demo, endpoints })
  })

async function tell(demo: Common, stories: readonly CloudStory[]): Promise<void> {
  const begun: string[] = []
  for (const { prepare } of stories) if (prepare) begun.push(await prepare())
  const local = await createLocalKey(demo)
  for (const { work } of stories) await work(local)
  await showAudit(demo, begun[0] ?? local.createdAt, ['Create Key', ...stories.flatMap(({ audited }) => audited)])
}

async function createLocalKey(demo: Common): Promise<LocalKey> {
  const { narrator, service, name, undo } = demo
  narrator.step('Create a local key')
  const key = await service.call('POST', LOCAL_KEYS, {
    body: { name, algorithm: 'aes', size: 256 },
    answers: LocalKey,
    shows: ({ id, algorithm, size, state }) => ({ id, algorithm, size, state }),
  })
  undo.push(() => removeUsed(demo, key.id))
  return key
}

/** @param since RFC 3339 @param expected messages that the records must include */
async function showAudit({ narrator, service }: Common, since: string, expected: readonly string[]): Promise<void> {
  narrator.step('Read the audit records of it all')
  const query = `createdAfter=${encodeURIComponent(since)}&limit=-1`
  const { resources } = await service.call('GET', `/v1/audit/records?${query}`, {
    answers: listOf(AuditRecord),
    shows: ({ total, resources }) => ({
      total,
      messages: resources.map(({ message, success }) => (success ? message : `${message} (refused)`)),
    }),
  })
  for (const message of expected)
    assertTold(
      resources.some((record) => record.message === message && record.success),
      `there is a record of ${message}`,
    )
}

async function cleanUp({ undo }: Common): Promise<void> {
  for (let step = undo.pop(); step !== undefined; step = undo.pop()) await step()
}
