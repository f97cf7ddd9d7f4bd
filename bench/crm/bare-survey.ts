/** Logs in once, and reads every secret of an organization with a query, page by page. */
import { SECRETS } from '../../shared/clouds/crm/adapter/wire.ts'
import { answerSurveys, startSurvey, type BareSurvey } from '../survey.ts'
import type { SimulatedCrm } from './simulated.ts'

type Place = Pick<SimulatedCrm, 'endpoint' | 'credentials'>

export const startBareSurvey = ({ endpoint, credentials }: SimulatedCrm, _place: string, keys: number): BareSurvey =>
  startSurvey(import.meta.filename, { endpoint, credentials } satisfies Place, keys)

interface Session {
  readonly access_token: string
  readonly instance_url: string
}

/** The first user's session. */
async function logIn({ endpoint, credentials: [user] }: Place): Promise<Session> {
  const { clientId: client_id, clientSecret: client_secret, username, password } = user
  const body = new URLSearchParams({ grant_type: 'password', client_id, client_secret, username, password })
  return (await (await fetch(`${endpoint}/services/oauth2/token`, { method: 'POST', body })).json()) as Session
}

/** @returns the number of secrets */
async function survey(session: Promise<Session>): Promise<number> {
  const { access_token, instance_url } = await session
  let found = 0
  for (let path = `/services/data/v60.0/query/?q=${encodeURIComponent(SECRETS)}`; path !== '';) {
    const answer = await fetch(`${instance_url}${path}`, { headers: { authorization: `Bearer ${access_token}` } })
    const { records, nextRecordsUrl = '' } = (await answer.json()) as { records: unknown[]; nextRecordsUrl?: string }
    found += records.length
    path = nextRecordsUrl
  }
  return found
}

if (import.meta.main) answerSurveys((place) => logIn(place as Place), survey)
