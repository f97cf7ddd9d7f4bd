/** Lists every key of a group with its versions, as specified in `survey.ts`. The cloud has no client of its own. */
import { atOnce } from '../../shared/base/at-once.ts'
import { answerSurveys, KEYS_AT_ONCE, startSurvey, type BareSurvey } from '../survey.ts'
import type { SimulatedDatacust } from './simulated.ts'

type Place = Pick<SimulatedDatacust, 'apiEndpoint' | 'user'> & { readonly group: string }

export const startBareSurvey = (
  { apiEndpoint, user, groups }: SimulatedDatacust,
  group: string,
  keys: number,
): BareSurvey =>
  startSurvey(import.meta.filename, { apiEndpoint, user, group: groups[group] ?? '' } satisfies Place, keys)

interface Page {
  readonly value: readonly { readonly id: string }[]
  readonly '@odata.nextLink'?: string
}

type Ask = (address: string) => Promise<Page>

/** @returns the number of keys */
async function survey(ask: Promise<Ask>, first: string): Promise<number> {
  const read = await ask
  const [at = ''] = first.split('?')
  let found = 0
  for (let page: Page | undefined = await read(first); page !== undefined;) {
    await atOnce(page.value, KEYS_AT_ONCE, ({ id }) => read(`${at}/${id}/versions`))
    found += page.value.length
    const next: string | undefined = page['@odata.nextLink']
    page = next === undefined ? undefined : await read(next)
  }
  return found
}

async function open({ apiEndpoint, user: { user: username, secret: password, tenant } }: Place): Promise<Ask> {
  const body = JSON.stringify({ username, password, tenant })
  const { accessToken } = (await (await fetch(`${apiEndpoint}/auth/request`, { method: 'POST', body })).json()) as {
    accessToken: string
  }
  const headers = { accept: 'application/json', authorization: `Bearer ${accessToken}` }
  return async (address) => (await (await fetch(address, { headers })).json()) as Page
}

if (import.meta.main)
  answerSurveys(
    (given) => {
      const place = given as Place
      return { ask: open(place), first: `${place.apiEndpoint}/keys?$filter=groupId%20eq%20${place.group}` }
    },
    ({ ask, first }) => survey(ask, first),
  )
