/** Methods of the API. */
export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete'
