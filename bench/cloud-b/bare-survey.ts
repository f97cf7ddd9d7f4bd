/** Lists every key of a vault with all of its versions, as specified in `survey.ts`. */
import type { KeyClient } from '@azure/keyvault-keys'
import { atOnce } from '../../shared/base/at-once.ts'
import { clientsOf } from '../../test/infra/simulators/cloud-b/clients.ts'
import { answerSurveys, KEYS_AT_ONCE, startSurvey, type BareSurvey } from '../survey.ts'
import type { SimulatedCloudB } from './simulated.ts'

/** Also reads each version's description, which a refresh of unchanged keys does not. */
export const DESCRIBED = 'described'

type Place = Pick<SimulatedCloudB, 'endpoint' | 'credentials'> & { readonly vault: string }

export const startBareSurvey = ({ endpoint, credentials }: SimulatedCloudB, vault: string, keys: number): BareSurvey =>
  startSurvey(import.meta.filename, { endpoint, credentials, vault } satisfies Place, keys)

/** @returns the number of keys */
async function survey(keys: KeyClient, depth: string): Promise<number> {
  let found = 0
  for await (const page of keys.listPropertiesOfKeys().byPage()) {
    await atOnce(page, KEYS_AT_ONCE, ({ name }) => ask(keys, name, depth))
    found += page.length
  }
  for await (const page of keys.listDeletedKeys().byPage()) found += page.length
  return found
}

async function ask(keys: KeyClient, name: string, depth: string): Promise<void> {
  for await (const page of keys.listPropertiesOfKeyVersions(name).byPage())
    if (depth === DESCRIBED) await Promise.all(page.map(({ version = '' }) => keys.getKey(name, { version })))
}

const open = ({ vault, ...cloud }: Place): KeyClient => clientsOf(cloud).keys(vault)

if (import.meta.main) answerSurveys((place) => open(place as Place), survey)
