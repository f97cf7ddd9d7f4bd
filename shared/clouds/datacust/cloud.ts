import { announceCloud } from '../../cloud/cloud-row.ts'

export const datacust = announceCloud({
  name: 'datacust',
  containerList: 'groups',
  rotation: { byAge: false, byExpiry: true },
})
