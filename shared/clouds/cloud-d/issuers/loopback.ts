import { isNamedOnLoopback } from '../../../cloud/named-address.ts'

export const allowsLoopback = (): boolean => isNamedOnLoopback('CLOUD_D', 'IDENTITY')
