/** The purpose under which a client secret is sealed. @param id of the tenant's record */
export const secretPurpose = (id: string): string[] => ['dke-tenant', id]

/** @see DirectoryApplication.name */
export const applicationName = ({
  id,
  secret_set_at: since,
}: {
  readonly id: string
  readonly secret_set_at: string
}) => `${id} ${since}`
