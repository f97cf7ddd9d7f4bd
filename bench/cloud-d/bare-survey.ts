/** Lists every key of a vault and describes it with all of its versions, as specified in `survey.ts`. */
import type { KmsManagementClient } from 'oci-keymanagement'
import { atOnce } from '../../shared/base/at-once.ts'
import { keyClient, vaultNamed } from '../../test/infra/simulators/cloud-d/clients.ts'
import { answerSurveys, KEYS_AT_ONCE, startSurvey, type BareSurvey } from '../survey.ts'
import type { SimulatedCloudD } from './simulated.ts'

type Place = Pick<SimulatedCloudD, 'endpoint' | 'credentials' | 'vaults'> & { readonly vault: string }

interface Client {
  readonly keys: KmsManagementClient
  readonly compartmentId: string
}

export const startBareSurvey = (
  { endpoint, credentials, vaults }: SimulatedCloudD,
  vault: string,
  keys: number,
): BareSurvey => startSurvey(import.meta.filename, { endpoint, credentials, vaults, vault } satisfies Place, keys)

const PAGE = { limit: 1_000 }

/** @returns the number of keys */
async function survey(client: Promise<Client>): Promise<number> {
  const { keys, compartmentId } = await client
  let found = 0
  let page: string | undefined
  do {
    const { items, opcNextPage } = await keys.listKeys({ compartmentId, ...PAGE, ...(page && { page }) })
    await atOnce(items, KEYS_AT_ONCE, async ({ id: keyId }) => {
      await keys.getKey({ keyId })
      await keys.listKeyVersions({ keyId, ...PAGE })
    })
    found += items.length
    page = opcNextPage
  } while (page)
  return found
}

async function open({ vault, vaults, ...cloud }: Place): Promise<Client> {
  const simulator = { ...cloud, vaults: () => vaults }
  return { keys: await keyClient(simulator, vault), compartmentId: vaultNamed(simulator, vault).compartmentId }
}

if (import.meta.main) answerSurveys((place) => open(place as Place), survey)
