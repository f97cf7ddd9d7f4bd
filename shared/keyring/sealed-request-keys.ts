import { REQUEST_KEY_PURPOSE, requestKeys } from './request-key.ts'
import { sealingFieldAgain } from './sealed-kinds.ts'

export const sealedRequestKeys = sealingFieldAgain(requestKeys, 'all', () => REQUEST_KEY_PURPOSE)
