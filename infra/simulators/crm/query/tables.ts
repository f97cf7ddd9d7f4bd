import { certificateTable } from '../certificates/certificates.ts'
import { eventLogTable } from '../events/event-log.ts'
import { credentialTable } from '../remote/credentials.ts'
import { secretTable } from '../secrets/describe.ts'
import type { Call } from '../wire/call.ts'
import { unknownObject } from '../wire/errors.ts'
import { eraseItem, type Table } from './table.ts'

const organizationTable = eraseItem({
  name: 'Organization',
  apis: ['data', 'tooling'],
  needs: 'ApiEnabled',
  items: ({ organization }) => [organization],
  fields: {
    Id: ({ id }) => id,
    Name: ({ name }) => name,
    IsSandbox: ({ isSandbox }) => isSandbox,
    OrganizationType: () => 'Enterprise Edition',
    InstanceName: () => 'SIM1',
  },
})

const TABLES: readonly Table[] = [organizationTable, secretTable, certificateTable, credentialTable, eventLogTable]

/** An object that the user may see. @throws ApiError INVALID_TYPE */
export function tableNamed(call: Call, api: Table['apis'][number], name: string): Table {
  const table = TABLES.find((each) => each.name.toLowerCase() === name.toLowerCase())
  const isVisible = table?.apis.includes(api) === true && call.user.permissions.includes(table.needs)
  if (isVisible && table.isOffered?.(call) !== false) return table
  throw unknownObject(name)
}
