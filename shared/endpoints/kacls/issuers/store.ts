import { issuerEntity } from '../../../endpoint/issuers/store.ts'

export const kaclsIssuers = issuerEntity('kacls-issuer')
