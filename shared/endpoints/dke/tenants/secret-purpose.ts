/** What a client secret is sealed for. @param id of the tenant's record */
export const secretPurpose = (id: string): string[] => ['dke-tenant', id]
