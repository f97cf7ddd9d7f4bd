/**
 * The floor of a refresh: every key of a region listed and described with the official client, straight from its
 * package and with its own settings, in a process of its own. Nothing is compared or kept.
 */
import { fork } from 'node:child_process'
import {
  DescribeKeyCommand,
  GetKeyPolicyCommand,
  GetKeyRotationStatusCommand,
  KMSClient,
  ListAliasesCommand,
  ListKeysCommand,
  ListResourceTagsCommand,
  type KMSClientConfig,
} from '@aws-sdk/client-kms'
import { atOnce } from '../shared/base/at-once.ts'
import { answerParent, apart } from './apart.ts'
import type { SimulatedCloud } from './simulated-cloud.ts'

/** As in `shared/work/synchronize/reading.ts`. */
const KEYS_AT_ONCE = 5

/** `whole`: all that a refresh asks for; `described`: the list, and one call for each key. */
export type Depth = 'whole' | 'described'

export interface BareSurvey {
  /** @returns the milliseconds it took */
  readonly run: (depth: Depth) => Promise<number>
  readonly stop: () => Promise<void>
}

type Place = Required<Pick<KMSClientConfig, 'region'>> & {
  readonly endpoint: string
  readonly credentials: SimulatedCloud['account']['credentials']
}
interface Survey {
  readonly place: Place
  readonly depth: Depth
  readonly keys: number
}

/** @param keys the expected number */
export function startBareSurvey({ endpoint, account }: SimulatedCloud, region: string, keys: number): BareSurvey {
  const child = fork(import.meta.filename, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const { ask, stop } = apart(child)
  const place = { endpoint, region, credentials: account.credentials }
  return { run: async (depth) => (await ask({ place, depth, keys } satisfies Survey)) as number, stop }
}

function answerSurveys(): void {
  let client: KMSClient | undefined
  answerParent(async (question) => {
    const { place, depth, keys } = question as Survey
    client ??= new KMSClient(place)
    const from = performance.now()
    const described = await survey(client, depth)
    if (described !== keys) throw new Error(`${described} keys instead of ${keys}`)
    return performance.now() - from
  })
}

/** @returns how many keys there are */
async function survey(kms: KMSClient, depth: Depth): Promise<number> {
  if (depth === 'whole') await listAliases(kms)
  const ask = depth === 'whole' ? askAll : askOne
  let found = 0
  let Marker: string | undefined
  do {
    const page = await kms.send(new ListKeysCommand({ Limit: 1_000, Marker }))
    const ids = (page.Keys ?? []).flatMap(({ KeyId }) => KeyId ?? [])
    await atOnce(ids, KEYS_AT_ONCE, (KeyId) => ask(kms, KeyId))
    found += ids.length
    Marker = page.NextMarker
  } while (Marker !== undefined)
  return found
}

async function listAliases(kms: KMSClient): Promise<void> {
  let Marker: string | undefined
  do Marker = (await kms.send(new ListAliasesCommand({ Limit: 100, Marker }))).NextMarker
  while (Marker !== undefined)
}

const askOne = (kms: KMSClient, KeyId: string): Promise<unknown> => kms.send(new DescribeKeyCommand({ KeyId }))

/** In the order of a refresh: the description tells which other calls a key needs. */
async function askAll(kms: KMSClient, KeyId: string): Promise<void> {
  await askOne(kms, KeyId)
  await Promise.all([
    kms.send(new ListResourceTagsCommand({ KeyId, Limit: 50 })),
    kms.send(new GetKeyPolicyCommand({ KeyId, PolicyName: 'default' })),
    kms.send(new GetKeyRotationStatusCommand({ KeyId })),
  ])
}

if (import.meta.main) answerSurveys()
