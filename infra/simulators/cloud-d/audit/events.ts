import { randomUUID } from 'node:crypto'
import type { HeldEvent } from '../state/held.ts'
import { iso } from '../vaults/describe.ts'
import type { Call } from '../wire/call.ts'

/** The resource of a call. @param made id of a new resource */
function subjectOf({ state, param, query, body, caller }: Call, made: string | undefined) {
  const id = param('keyVersionId') || param('keyId') || param('vaultId') || made || ''
  const found = state.key(param('keyId') || id) ?? state.vault(param('vaultId') || id)
  const asked = query.get('compartmentId') ?? (typeof body.compartmentId === 'string' ? body.compartmentId : undefined)
  return {
    resourceId: id,
    resourceName: found?.displayName ?? (typeof body.displayName === 'string' ? body.displayName : ''),
    compartmentId: found?.compartmentId ?? asked ?? caller.tenancy.id,
  }
}

/** The event of a call to the key service, in the form of the wire. */
export function eventOf(call: Call, { status, made }: { status: number; made: string | undefined }): HeldEvent {
  const { operation, caller, region, state } = call
  const { resourceId, resourceName, compartmentId } = subjectOf(call, made)
  const at = state.now()
  return {
    ...{ eventId: randomUUID(), region, tenancyId: caller.tenancy.id, at },
    event: {
      eventType: `com.oraclecloud.KeyManagementService.${operation}`,
      cloudEventsVersion: '0.1',
      eventTypeVersion: '2.0',
      source: 'KeyManagementService',
      eventTime: iso(at),
      contentType: 'application/json',
      data: {
        ...{ eventName: operation, compartmentId, resourceName, resourceId },
        identity: {
          principalName: caller.user.name,
          principalId: caller.user.id,
          authType: 'natv',
          tenantId: caller.tenancy.id,
        },
        response: { status: String(status), responseTime: iso(at) },
      },
    },
  }
}
