import { lowerCase } from '../../rego/light.ts'

/** The perimeter of an endpoint without its own, as shown to owners. `defaultAllows` decides in the same way. */
export const DEFAULT_PERIMETER = `package keymgr.kacls

default allow := false

# The Workspace address of the user, where it differs from the address at the identity provider.
address := input.authentication.workspace_email

address := input.authentication.email if not input.authentication.workspace_email

# A user opens what Workspace lets the same user open.
allow if lower(address) == lower(input.authorization.email)

# Exports of administrators.
allow if input.perimeter_id == "takeout"

# Imports of administrators.
allow if input.operation == "privilegedwrap"
`

/** The members of a policy's input that the default perimeter reads. */
export interface PerimeterInput {
  readonly authentication?: { readonly email?: string | undefined; readonly workspace_email?: string | undefined }
  readonly authorization?: { readonly email?: string | undefined }
  readonly perimeter_id?: string
  readonly operation?: string
}

/** Whether the default perimeter allows a call. Without the interpreter: most endpoints have no perimeter of their own. */
export function defaultAllows({ authentication, authorization, perimeter_id, operation }: PerimeterInput): boolean {
  const address = authentication?.workspace_email ?? authentication?.email
  const authorized = authorization?.email
  const isSame = address !== undefined && authorized !== undefined && lowerCase(address) === lowerCase(authorized)
  return isSame || perimeter_id === 'takeout' || operation === 'privilegedwrap'
}
