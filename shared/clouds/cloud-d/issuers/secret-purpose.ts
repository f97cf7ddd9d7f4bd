/** The purpose for which a client's secret is sealed: no other issuer can use it. */
export const secretPurpose = ({ id }: { readonly id: string }): string[] => ['cloud-d-issuer', id, 'secret']
