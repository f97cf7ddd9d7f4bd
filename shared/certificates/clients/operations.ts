import type { Route } from '../../http/operation.ts'
import { routesOn } from '../../http/routes-on.ts'
import { CLIENT_MANAGEMENT, inRootDomain } from './place.ts'
import { ClientProfile, ClientProfileQuery, CreateClientProfile, UpdateClientProfile } from './profiles/model.ts'
import { createProfile, deleteProfile, getProfile, listProfiles, updateProfile } from './profiles/profiles.ts'
import {
  CreateRegistrationToken,
  RegistrationToken,
  RegistrationTokenQuery,
  UpdateRegistrationToken,
} from './registration-tokens/model.ts'
import { createToken, deleteToken, getToken, listTokens, updateToken } from './registration-tokens/tokens.ts'

const may = 'client-admins'
const at = CLIENT_MANAGEMENT
const onProfiles = routesOn({ at: `${at}/profiles`, answers: ClientProfile, reads: may, changes: may })
const onTokens = routesOn({ at: `${at}/regtokens`, answers: RegistrationToken, reads: may, changes: may })

/** What registered clients have in common. */
const profiles: readonly Route[] = [
  onProfiles.list('List Client Profiles', ClientProfileQuery, inRootDomain(listProfiles)),
  onProfiles.create('Create Client Profile', CreateClientProfile, inRootDomain(createProfile)),
  onProfiles.get('Get Client Profile', inRootDomain(getProfile)),
  onProfiles.update('Update Client Profile', UpdateClientProfile, inRootDomain(updateProfile)),
  onProfiles.remove('Delete Client Profile', inRootDomain(deleteProfile)),
]

/** What registrations are authorised by. */
const tokens: readonly Route[] = [
  onTokens.list('List Registration Tokens', RegistrationTokenQuery, inRootDomain(listTokens)),
  onTokens.create('Create Registration Token', CreateRegistrationToken, inRootDomain(createToken)),
  onTokens.get('Get Registration Token', inRootDomain(getToken)),
  onTokens.update('Update Registration Token', UpdateRegistrationToken, inRootDomain(updateToken)),
  onTokens.remove('Delete Registration Token', inRootDomain(deleteToken)), // its clients stay
]

export const routes: readonly Route[] = [...profiles, ...tokens]
