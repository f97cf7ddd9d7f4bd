/** Lists and describes every key of a region, as specified in `survey.ts`. */
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
import { atOnce } from '../../shared/base/at-once.ts'
import { answerSurveys, KEYS_AT_ONCE, startSurvey, WHOLE, type BareSurvey } from '../survey.ts'
import type { SimulatedCloudA } from './simulated.ts'

type Place = Required<Pick<KMSClientConfig, 'region'>> & {
  readonly endpoint: string
  readonly credentials: SimulatedCloudA['account']['credentials']
}

export const startBareSurvey = ({ endpoint, account }: SimulatedCloudA, region: string, keys: number): BareSurvey =>
  startSurvey(import.meta.filename, { endpoint, region, credentials: account.credentials } satisfies Place, keys)

/** @param depth all calls of a refresh, or the list and one call for each key @returns the number of keys */
async function survey(kms: KMSClient, depth: string): Promise<number> {
  if (depth === WHOLE) await listAliases(kms)
  const ask = depth === WHOLE ? askAll : askOne
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

/** In the order of a refresh: the description determines which other calls a key needs. */
async function askAll(kms: KMSClient, KeyId: string): Promise<void> {
  await askOne(kms, KeyId)
  await Promise.all([
    kms.send(new ListResourceTagsCommand({ KeyId, Limit: 50 })),
    kms.send(new GetKeyPolicyCommand({ KeyId, PolicyName: 'default' })),
    kms.send(new GetKeyRotationStatusCommand({ KeyId })),
  ])
}

if (import.meta.main) answerSurveys((place) => new KMSClient(place as Place), survey)
