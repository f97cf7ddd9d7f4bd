import { Refusal } from '../../../base/errors.ts'
import { patiently } from '../../../cloud/adapter/asking.ts'
import { everyRow } from './client.ts'
import { failures } from './errors.ts'
import { forgetSession, sessionOf } from './session.ts'
import type { Crm, CrmConnection, CrmEntry } from './types.ts'
import { NAMED_CREDENTIALS, NamedCredential, Organization } from './wire.ts'

const ORGANIZATION = 'SELECT Id, Name, IsSandbox FROM Organization'

export const organization: Crm['organization'] = async (entry) => {
  const [found] = await everyRow(entry, ORGANIZATION, Organization)
  if (found === undefined) throw new Refusal('CLOUD_NOT_FOUND', 'Crm shows no organization to the connection.')
  const { instance } = await sessionOf(entry.connection)
  return {
    organization_id: found.Id,
    name: found.Name,
    is_sandbox: found.IsSandbox,
    instance_url: instance,
  }
}

/** Logs in anew: a cached session would prove nothing. */
export async function test(connection: CrmConnection, budget: AbortSignal): Promise<void> {
  const entry: CrmEntry = { connection, budget, patience: 'request' }
  const session = await patiently(failures, entry, () => sessionOf(connection))
  await organization(entry)
  await forgetSession(connection, session)
}

/** The cloud hides the whole object from users without the permission to see it. */
export const namedCredentials: Crm['namedCredentials'] = async (entry) => {
  try {
    const found = await everyRow(entry, NAMED_CREDENTIALS, NamedCredential)
    return found.map(({ Id: id, DeveloperName: name, Endpoint: endpoint }) => ({
      id,
      name,
      endpoint: endpoint ?? null,
    }))
  } catch (error) {
    const hint = 'The user of the connection may lack the permission View Setup and Configuration.'
    if (error instanceof Refusal && failures.codeOf(error) === 'INVALID_TYPE')
      throw new Refusal(error.reason, `${error.message} ${hint}`, { cause: error.cause })
    throw error
  }
}
