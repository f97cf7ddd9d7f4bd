/** Generated from the API description by `npm run describe`. */

export const createKaclsEndpoint = {"name":{"isRequired":true},"endpoint_url_hostname":{"isRequired":true},"issuer":{"kind":"lines"},"authenticationAud":{"kind":"lines","isRequired":true},"authorizationAud":{"kind":"lines"},"cors":{"kind":"lines"},"allow_guest_access":{"kind":"flag"}} as const
export const listKaclsEndpoints = {"createdBefore":"time","createdAfter":"time","name":"text","id":"text","issuer":"text","status":["Enabled","Disabled","Archived"]} as const
export const testKaclsPerimeter = {"input/operation":{"words":["wrap","unwrap","privilegedwrap","takeout_unwrap","delegate","privatekeysign","privatekeydecrypt"]}} as const
export const updateKaclsEndpoint = {"issuer":{"kind":"lines"},"authenticationAud":{"kind":"lines"},"authorizationAud":{"kind":"lines"},"cors":{"kind":"lines"},"allow_guest_access":{"kind":"flag"},"allow_privileged_unwrap":{"kind":"flag"}} as const
